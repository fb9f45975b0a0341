"""Goal: what deploy/ holds is right by the tools that read it, and speaks of a prmd that there is.

Method: each file goes through the tool of its kind; every option that a file sets is looked for in `prmd --help`, and
what several files must agree on is compared. Oracle: hadolint, docker-compose, yamllint, systemd-analyze, nginx. A
tool that is not installed skips its test: `./dev test` and `./dev lint` install all but nginx, which would start serving.

    test_deploy.py dockerfile|compose|yaml|systemd|nginx|agree
"""
import os
import re
import shutil
import subprocess
import sys
import tempfile

TOP = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
DEPLOY = os.path.join(TOP, "deploy")
PRMD = os.environ.get("PRMD_BIN", "")
SKIPPED = 77
EXPOSURE_MOST = 15  # tenths, of systemd-analyze's scale to 10

PROFILES = ("cpu", "gpu")


def read(*path):
    with open(os.path.join(DEPLOY, *path), encoding="utf-8") as file:
        return file.read()


def tool(*names):
    """The first of these commands that there is; else the test is skipped."""
    for name in names:
        path = shutil.which(name)
        if path:
            return path
    print("skipped: no", " nor ".join(names))
    sys.exit(SKIPPED)


def run(*command, **options):
    """The output of a command that must succeed."""
    done = subprocess.run(command, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True, check=False, **options)
    if done.returncode != 0:
        sys.exit(f"{' '.join(command)}: exit {done.returncode}\n{done.stdout}")
    return done.stdout


def dockerfile():
    hadolint = tool("hadolint", os.path.join(TOP, "build", "hadolint", "bin", "hadolint"))
    print(run(hadolint, os.path.join(DEPLOY, "Dockerfile")))


def composed(profile):
    """The services of a profile, as docker-compose understands them."""
    compose = tool("docker-compose")
    environment = dict(os.environ, PRMD_TOKENS=os.path.join(DEPLOY, "prmd.conf"))
    return run(compose, "-p", "prmd", "-f", os.path.join(DEPLOY, "docker-compose.yml"), "--profile", profile, "config",
               env=environment)


def compose():
    for profile in PROFILES:
        text = composed(profile)
        service = text.split(f"target: {profile}\n")[1]
        for wanted in ("- prm\n", "read_only: true", "- ALL", "no-new-privileges:true", "10001:10001",
                       "PRMD_TOKEN_FILE: /run/secrets/prmd_tokens", "/var/lib/prmd"):
            assert wanted in service, f"{profile}: no {wanted!r} in\n{text}"
        # nothing is published beyond this machine
        assert re.search(r"127\.0\.0\.1:7767:7767|host_ip: 127\.0\.0\.1", service), text
    assert re.search(r"driver: nvidia", composed("gpu"))
    # without --profile gpu nothing asks for one
    assert re.search(r"driver: nvidia", composed("cpu").split("prmd-gpu")[0]) is None


def yaml():
    yamllint = tool("yamllint")
    print(run(yamllint, "--strict", "-c", os.path.join(DEPLOY, "yamllint.yml"), DEPLOY))


def systemd():
    analyze = tool("systemd-analyze")
    if not PRMD:
        sys.exit("PRMD_BIN must name prmd")
    with tempfile.TemporaryDirectory() as folder:
        unit = os.path.join(folder, "prmd.service")
        drop_in = os.path.join(folder, "prmd.service.d")
        os.mkdir(drop_in)
        with open(unit, "w", encoding="utf-8") as file:
            # verify wants to find the program
            file.write(read("systemd", "prmd.service").replace("/usr/local/bin/prmd", PRMD))
        said = run(analyze, "verify", unit)
        assert "prmd.service" not in said, said
        # also with a GPU's devices
        shutil.copy(os.path.join(DEPLOY, "systemd", "gpu.conf"), drop_in)
        said = run(analyze, "verify", unit)
        assert "prmd.service" not in said and "gpu.conf" not in said, said
    said = run(analyze, "security", "--offline=true", f"--threshold={EXPOSURE_MOST}",
               os.path.join(DEPLOY, "systemd", "prmd.service"))
    print(said.strip().splitlines()[-1])


def nginx():
    """The proxy of docs/operations.md, with a certificate of its own."""
    server = tool("nginx", "/usr/sbin/nginx")
    openssl = tool("openssl")
    with tempfile.TemporaryDirectory() as folder:
        key, certificate = os.path.join(folder, "key"), os.path.join(folder, "certificate")
        run(openssl, "req", "-x509", "-newkey", "rsa:2048", "-nodes", "-subj", "/CN=localhost", "-days", "2", "-keyout", key,
            "-out", certificate)
        text = read("nginx", "prmd.conf").replace("/etc/ssl/prmd/server.pem", certificate)
        text = text.replace("/etc/ssl/prmd/server.key", key)
        assert certificate in text and key in text
        site = os.path.join(folder, "prmd.conf")
        with open(site, "w", encoding="utf-8") as file:
            file.write(text)
        main = os.path.join(folder, "nginx.conf")
        with open(main, "w", encoding="utf-8") as file:
            file.write(f"pid {folder}/pid; error_log {folder}/errors; events {{}} http {{ access_log off; include {site}; }}")
        print(run(server, "-t", "-p", folder, "-c", main))


def agree():
    """Names that prmd knows, and numbers that fit each other."""
    if not PRMD:
        sys.exit("PRMD_BIN must name prmd")
    help_text = run(PRMD, "--help")
    options = set(re.findall(r"^  --([a-z0-9-]+)", help_text, re.M))
    assert len(options) > 30, help_text
    defaults = dict(re.findall(r"^  --([a-z0-9-]+) .*\((\S+)\)$", help_text, re.M))

    # every PRMD_… of a file, and every line of the file of options, those that are commented out too
    for path in (("Dockerfile",), ("docker-compose.yml",), ("systemd", "prmd.service"), ("systemd", "gpu.conf")):
        for name in re.findall(r"\bPRMD_([A-Z_]+)", read(*path)):
            if "/".join(path) == "docker-compose.yml" and name in ("PORT", "TOKENS"):
                continue  # the file's own
            assert name.lower().replace("_", "-") in options, f"{path}: PRMD_{name}"
    names = re.findall(r"^#?([a-z-]+) = \S", read("prmd.conf"), re.M)
    assert len(names) > 8 and set(names) <= options, set(names) - options
    # what is set there, prmd takes: it stops at the option behind it
    done = subprocess.run([PRMD, "--config", os.path.join(DEPLOY, "prmd.conf"), "--threads", "0"], text=True,
                          stderr=subprocess.PIPE, check=False)
    assert done.returncode == 2 and "--threads" in done.stderr, done.stderr

    # who stops it waits longer than it drains
    drain = int(defaults["drain-timeout-s"])
    assert int(re.search(r"^TimeoutStopSec=(\d+)$", read("systemd", "prmd.service"), re.M)[1]) > drain
    assert int(re.search(r"stop_grace_period: (\d+)s", read("docker-compose.yml"))[1]) > drain
    assert f"drain-timeout-s = {drain}" in read("prmd.conf")

    # one user, one port, one place of the data
    user = re.search(r"--uid (\d+)", read("Dockerfile"))[1]
    assert f'user: "{user}:{user}"' in read("docker-compose.yml") and read("Dockerfile").count(f"USER {user}:{user}") == 3
    port = defaults["listen"].split(":")[1]
    for path in (("Dockerfile",), ("docker-compose.yml",), ("prmd.conf",), ("nginx", "prmd.conf")):
        assert port in read(*path), path


CHECKS = {check.__name__: check for check in (dockerfile, compose, yaml, systemd, nginx, agree)}

if __name__ == "__main__":
    CHECKS[sys.argv[1]]()
