/* Goal: hash_slots, the vector form of the cuckoo table's hash that only kernels have, is the
 * scalar form. Method: a kernel of its own beside those of cuckoo.cl; extreme and random functions,
 * keys and divisors. Oracle: the scalar form as host C, of test_kernel_hash. */
#include "device/internal.h"
#include "kernels/embedded.h"
#include "kernels/hash.h"
#include "support/support.h"

#include <stdlib.h>

enum { ROWS = 4096, WIDTH = 4 };

static const char SOURCE[] =
    "__kernel void slots(__global uint4 *out, __global const ulong4 *functions,\n"
    "                    __global const uint *keys, uint size, uint inverse)\n"
    "{\n"
    "    const size_t i = get_global_id(0);\n"
    "    const struct hash_modulus modulus = {size, inverse};\n"
    "    out[i] = convert_uint4(hash_slots(functions[i], keys[i], modulus));\n"
    "}\n";

struct device {
    cl_context context;
    cl_command_queue queue;
    cl_program program;
    cl_kernel kernel;
    cl_mem out, functions, keys;
};

static void device_open(struct device *d, uint64_t *functions, uint32_t *keys)
{
    const cl_mem_flags copy = CL_MEM_READ_ONLY | CL_MEM_COPY_HOST_PTR;
    const char *sources[] = {prm_kernel_source_find("cuckoo").text, SOURCE};
    struct prm_device chosen;
    cl_int code;

    assert_ok(prm_device_choose(&chosen, test_context_options().device));
    cl_device_id device = chosen.id;
    d->context = clCreateContext(NULL, 1, &device, NULL, NULL, &code);
    assert_int_equal(code, CL_SUCCESS);
    d->queue = clCreateCommandQueue(d->context, device, 0, &code);
    assert_int_equal(code, CL_SUCCESS);
    d->program = clCreateProgramWithSource(d->context, 2, sources, NULL, &code);
    assert_int_equal(code, CL_SUCCESS);
    assert_int_equal(clBuildProgram(d->program, 1, &device,
                                    "-cl-std=CL1.2 -DSHAPE_CPU -DWORKGROUP=1", NULL, NULL),
                     CL_SUCCESS);
    d->kernel = clCreateKernel(d->program, "slots", &code);
    assert_int_equal(code, CL_SUCCESS);
    d->out =
        clCreateBuffer(d->context, CL_MEM_WRITE_ONLY, ROWS * WIDTH * sizeof(uint32_t), NULL, &code);
    assert_int_equal(code, CL_SUCCESS);
    d->functions =
        clCreateBuffer(d->context, copy, ROWS * WIDTH * sizeof(uint64_t), functions, &code);
    assert_int_equal(code, CL_SUCCESS);
    d->keys = clCreateBuffer(d->context, copy, ROWS * sizeof(uint32_t), keys, &code);
    assert_int_equal(code, CL_SUCCESS);
}

static void device_close(struct device *d)
{
    clReleaseMemObject(d->out);
    clReleaseMemObject(d->functions);
    clReleaseMemObject(d->keys);
    clReleaseKernel(d->kernel);
    clReleaseProgram(d->program);
    clReleaseCommandQueue(d->queue);
    clReleaseContext(d->context);
}

static void device_slots(const struct device *d, struct hash_modulus modulus, uint32_t *slots)
{
    const size_t rows = ROWS;
    assert_int_equal(clSetKernelArg(d->kernel, 0, sizeof(cl_mem), &d->out), CL_SUCCESS);
    assert_int_equal(clSetKernelArg(d->kernel, 1, sizeof(cl_mem), &d->functions), CL_SUCCESS);
    assert_int_equal(clSetKernelArg(d->kernel, 2, sizeof(cl_mem), &d->keys), CL_SUCCESS);
    assert_int_equal(clSetKernelArg(d->kernel, 3, sizeof(uint32_t), &modulus.size), CL_SUCCESS);
    assert_int_equal(clSetKernelArg(d->kernel, 4, sizeof(uint32_t), &modulus.inverse), CL_SUCCESS);
    assert_int_equal(
        clEnqueueNDRangeKernel(d->queue, d->kernel, 1, NULL, &rows, NULL, 0, NULL, NULL),
        CL_SUCCESS);
    assert_int_equal(clEnqueueReadBuffer(d->queue, d->out, CL_TRUE, 0,
                                         rows * WIDTH * sizeof(uint32_t), slots, 0, NULL, NULL),
                     CL_SUCCESS);
}

/* One of the extremes half of the time, else anything. */
static uint32_t draw(struct test_random *random)
{
    static const uint32_t EXTREMES[] = {
        0, 1, 2, 5, 0x7fffffff, 0x80000000u, HASH_PRIME - 1, HASH_PRIME, UINT32_MAX - 1, UINT32_MAX,
    };
    const uint32_t count = sizeof(EXTREMES) / sizeof(EXTREMES[0]);
    return test_random_below(random, 2) ? EXTREMES[test_random_below(random, count)]
                                        : test_random_u32(random);
}

static void vector_form_is_the_scalar_form(void **state)
{
    static const uint32_t SIZES[] = {1, 2, 3, 64, 111, 27902, 0x55555556, 0x7fffffff, 0x80000000u};
    struct hash_function(*functions)[WIDTH] = calloc(ROWS, sizeof(*functions));
    uint64_t(*words)[WIDTH] = calloc(ROWS, sizeof(*words));
    uint32_t(*slots)[WIDTH] = calloc(ROWS, sizeof(*slots));
    uint32_t *keys = calloc(ROWS, sizeof(*keys));
    struct test_random random = {17};
    struct device device;
    (void)state;

    for (uint32_t i = 0; i < ROWS; i++) {
        keys[i] = draw(&random);
        for (uint32_t t = 0; t < WIDTH; t++) {
            functions[i][t] = hash_function_of(draw(&random), draw(&random));
            words[i][t] = (uint64_t)functions[i][t].c1 << 32 | functions[i][t].c0;
        }
    }
    device_open(&device, words[0], keys);
    for (size_t s = 0; s < sizeof(SIZES) / sizeof(SIZES[0]); s++) {
        const struct hash_modulus modulus = hash_modulus_of(SIZES[s]);
        device_slots(&device, modulus, slots[0]);
        for (uint32_t i = 0; i < ROWS; i++)
            for (uint32_t t = 0; t < WIDTH; t++)
                assert_int_equal(slots[i][t],
                                 hash_remainder(hash_linear(functions[i][t], keys[i]), modulus));
    }
    device_close(&device);
    free(functions);
    free(words);
    free(slots);
    free(keys);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(vector_form_is_the_scalar_form)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
