"""What `cmake --install` leaves is enough: a program outside the tree builds with pkg-config alone and runs.

Method: installs the build folder into a temporary prefix, moves it, builds examples/libprm-sort there.
Oracle: Python's sort and sums. Every public header compiles alone, as C11 and as C++.
"""
import os
import pathlib
import random
import shutil
import subprocess
import tempfile
import unittest

from daemon import SOURCE, main

BUILD = pathlib.Path(os.environ.get("PRM_BUILD", SOURCE / "build"))
PREFIXES = ("prm_",)


def run(*command, **options):
    reply = subprocess.run([str(word) for word in command], capture_output=True, text=True, check=False, **options)
    if reply.returncode != 0:
        raise AssertionError(f"{command}: {reply.returncode}\n{reply.stdout}{reply.stderr}")
    return reply.stdout


@unittest.skipIf(os.environ.get("PRM_SANITIZED"), "a program that links a sanitised library needs its flags")
class Install(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.folder = tempfile.TemporaryDirectory(prefix="prm-install-")
        first = pathlib.Path(cls.folder.name, "first")
        run("cmake", "--install", BUILD, "--prefix", first)
        # no path into the place where it was installed may be left
        cls.prefix = first.rename(pathlib.Path(cls.folder.name, "moved"))
        cls.environment = {**os.environ, "PKG_CONFIG_PATH": str(next(cls.prefix.rglob("libprm.pc")).parent)}
        cls.include = run("pkg-config", "--cflags-only-I", "libprm", env=cls.environment).split()

    @classmethod
    def tearDownClass(cls):
        cls.folder.cleanup()

    def test_programs(self):
        for name in ("prmd", "prm"):
            self.assertTrue(run(self.prefix / "bin" / name, "--version").strip(), name)

    def test_headers_alone(self):
        headers = sorted((self.prefix / "include").rglob("*.h"))
        self.assertGreater(len(headers), 15)
        languages = [("cc", "c", "c11")]
        if shutil.which("c++"):
            languages.append(("c++", "c++", "c++17"))
        # a unit of nothing but a header of macros would be empty
        unit = "typedef int header_alone;\n"
        for header in headers:
            for compiler, language, standard in languages:
                with self.subTest(header=header.name, language=standard):
                    run(compiler, "-x", language, f"-std={standard}", "-fsyntax-only", "-Wall", "-Wextra", "-Wpedantic",
                        "-Werror", *self.include, "-include", header, "-", input=unit)

    def test_umbrella_has_all(self):
        unit = "#include <prm/prm.h>\n"
        seen = run("cc", "-M", "-xc", *self.include, "-", input=unit)
        for header in (self.prefix / "include").rglob("*.h"):
            self.assertIn(str(header.relative_to(self.prefix / "include")), seen)

    def test_names_are_prefixed(self):
        archive = next(self.prefix.rglob("libprm.a"))
        symbols = {line.split()[-1] for line in run("nm", "--defined-only", "--extern-only", archive).splitlines()
                   if len(line.split()) == 3}
        self.assertGreater(len(symbols), 100)
        self.assertEqual({name for name in symbols if not name.startswith(PREFIXES)}, set())

    def test_example(self):
        example = pathlib.Path(self.folder.name, "example")
        shutil.copytree(SOURCE / "examples/libprm-sort", example, ignore=shutil.ignore_patterns("libprm-sort"))
        run("make", "-C", example, env=self.environment)
        source = random.Random(7)
        for count in (0, 1, 5000):
            numbers = [source.randrange(1 << 32) for _ in range(count // 2)]
            numbers += [source.randrange(10) for _ in range(count - len(numbers))]
            reply = run(example / "libprm-sort", input=" ".join(map(str, numbers)))
            expected, total = [], 0
            for line, number in sorted(enumerate(numbers), key=lambda pair: (pair[1], pair[0])):
                expected.append(f"{line} {number} {total}")
                total = (total + number) % (1 << 32)
            self.assertEqual(reply.splitlines(), expected)

    def test_cplusplus_links(self):
        if not shutil.which("c++"):
            self.skipTest("needs a C++ compiler")
        flags = run("pkg-config", "--cflags", "--libs", "libprm", env=self.environment).split()
        program = pathlib.Path(self.folder.name, "program")
        unit = '#include <prm/prm.h>\nint main() { return prm_status_text(PRM_OK)[0] == \'o\' ? 0 : 1; }\n'
        run("c++", "-x", "c++", "-", "-x", "none", "-o", program, *flags, input=unit)
        run(program)


if __name__ == "__main__":
    main()
