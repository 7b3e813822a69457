/* tacet for C and for whatever speaks C: training from memory, predictions, histograms,
 * accounting, and a device's own part in local learning.
 *
 * Errors. Every function but the last three returns 0, or the kind of an error (TACET_USAGE and so
 * on). After an error the results are untouched, but for `needed`, and tacet_last_error() says in
 * this thread what was wrong. Memory that runs out is an error of kind TACET_USAGE. A training that
 * fails after its records were encoded stays paid, and so does a device's report that the server
 * did not take. What is refused changes nothing (docs/library.md, Errors).
 *
 * Objects are numbers. 0 is none, and no number comes twice. A number that was freed, or is of
 * another kind, is an error of kind TACET_USAGE. Free each object by tacet_free(). Calls that
 * still use it go on.
 *
 * Threads. Any thread may call any function. Bookings on one budget take turns, and so do trainings
 * whose options have a seed.
 *
 * Memory. Text is UTF-8 and ends with 0. Buffers are yours, and their lengths are not checked. They
 * are read or written during the call alone. The texts that the last three functions return belong
 * to the library: do not free them.
 *
 * What private records cost is booked before a random bit is drawn, as docs/library.md says. */
#ifndef TACET_H
#define TACET_H

#include <stddef.h>
#include <stdint.h>

#if defined(__GNUC__)
#define TACET_API __attribute__((visibility("default")))
#else
#define TACET_API
#endif

#ifdef __cplusplus
extern "C" {
#endif

/* What functions return: 0, or the kind of an error. */
enum {
  TACET_OK = 0,
  TACET_INTERNAL = 1,  /* a fault of tacet itself */
  TACET_USAGE = 2,     /* an argument that makes no sense */
  TACET_DATA = 3,      /* a file or text whose structure cannot be read */
  TACET_BUDGET = 4,    /* the privacy budget does not allow it */
  TACET_GUARANTEE = 5, /* no guarantee can be proved for what was asked */
  TACET_NUMERIC = 6,   /* a computation that cannot be certified */
  TACET_IO = 7,        /* the operating system refused a read or a write */
  TACET_INTERRUPTED = 130
};

/* Which two data sets count as neighbours. */
enum { TACET_ADD_REMOVE = 0, TACET_ZERO_OUT = 1, TACET_REPLACE_ONE = 2 };

/* Objects, by number. */
typedef uint64_t tacet_schema;
typedef uint64_t tacet_options;
typedef uint64_t tacet_budget;
typedef uint64_t tacet_table;
typedef uint64_t tacet_model;
typedef uint64_t tacet_release;
typedef uint64_t tacet_device;

/* A schema from the text of a TOML file (data/schemas/README.md); `name` is for messages. */
TACET_API int tacet_schema_parse(const char* text, const char* name, tacet_schema* schema);
TACET_API int tacet_schema_load(const char* path, tacet_schema* schema);

/* The parameters of `tacet train` by name and as it reads them: "epsilon" "1", "delta" "1e-6".
 * Set "adjacency" too: left out, it is the usual one of the method, and the receipt says which. */
TACET_API int tacet_options_new(tacet_options* options);
TACET_API int tacet_options_set(tacet_options options, const char* name, const char* value);

/* A loss of your own, for the method gradient, which auto then chooses. It takes the place of
 * `loss`.
 *
 * Both functions take a prediction and a label: -1 or 1 for classes, in [-1, 1] for numbers. Their
 * answer may depend on nothing else but public constants behind `context`. A function that changes
 * state from call to call lets one record change another record's slope, and breaks the guarantee.
 * Neither function may throw, be left by longjmp, loop for ever or end the process. Several threads
 * call them at once. The guarantee needs no bound of them: the largest slope, which may be
 * infinite, and the largest curvature only choose the steps (docs/library.md). */
typedef double (*tacet_loss)(double prediction, double label, void* context);
TACET_API int tacet_options_loss(tacet_options options, tacet_loss value, tacet_loss slope,
                                 void* context, double largest_slope, double largest_curvature);

/* Noise from a known seed. It protects nobody, and the receipt says so. The first training with
 * these options gives the same model each time, the second one another model, and so on. */
TACET_API int tacet_options_seed(tacet_options options, uint64_t seed);

/* A function that is called between the steps of trainings with these options, with the phase and
 * how many steps of how many are done. All three are public. If it does not return 0, the training
 * ends with TACET_INTERRUPTED and stays paid. It may neither throw nor be left by longjmp, and must
 * not use the objects of its training. NULL takes the function away. */
typedef int (*tacet_progress)(const char* phase, int64_t done, int64_t total, void* context);
TACET_API int tacet_options_progress(tacet_options options, tacet_progress progress, void* context);

/* A budget, which lasts until the process ends. Epsilons add up, and deltas do. */
TACET_API int tacet_budget_new(double epsilon, double delta, int adjacency, tacet_budget* budget);
TACET_API int tacet_budget_spent(tacet_budget budget, double* epsilon, double* delta);

/* Columns of `rows` records, copied; the target is a column like the others. */
TACET_API int tacet_table_new(size_t rows, tacet_table* table);
TACET_API int tacet_table_numbers(tacet_table table, const char* name, const double* values,
                                  size_t count);
TACET_API int tacet_table_texts(tacet_table table, const char* name, const char* const* values,
                                size_t count);

/* Trains a model. With `budget` 0 nothing is added up, and the receipt states this run alone. A
 * matrix is given row by row, for a schema with [features], with labels as a file would have them.
 */
TACET_API int tacet_train_table(tacet_schema schema, tacet_options options, tacet_budget budget,
                                tacet_table table, tacet_model* model);
TACET_API int tacet_train_matrix(tacet_schema schema, tacet_options options, tacet_budget budget,
                                 const double* values, size_t rows, size_t columns,
                                 const double* labels, tacet_model* model);

/* Releases how many of `count` records lie in each of `bins`, as whole numbers with the least noise
 * that keeps (epsilon, delta): discrete Laplace noise if delta is 0, else discrete Gaussian noise.
 * `bin_of` has a number from 0 to bins - 1 for each record; any other number counts as the last
 * bin. `budget` may be 0. `release` gets the receipt, and may be NULL. What is refused costs
 * nothing. */
TACET_API int tacet_release_histogram(tacet_budget budget, const int64_t* bin_of, size_t count,
                                      double epsilon, double delta, int adjacency, double* counts,
                                      size_t bins, tacet_release* release);

/* Model files are those of `tacet train`. An existing file is an error of kind TACET_IO, unless
 * `overwrite` is not 0. */
TACET_API int tacet_model_load(const char* path, tacet_model* model);
TACET_API int tacet_model_save(tacet_model model, const char* path, int overwrite);

/* Writes one number per record into `out`, which has room for `count`: the index of the class, or
 * the number that the target asks for. */
TACET_API int tacet_predict_table(tacet_model model, tacet_table table, double* out, size_t count);
TACET_API int tacet_predict_matrix(tacet_model model, const double* values, size_t rows,
                                   size_t columns, double* out, size_t count);

/* The name of a class of the model. These two write text into `out`, at most `size` bytes with its
 * 0; `needed` (which may be NULL) is how many it takes. With `out` NULL and `size` 0 nothing but
 * that is said. TACET_USAGE where it does not fit. */
TACET_API int tacet_model_class(tacet_model model, size_t index, char* out, size_t size,
                                size_t* needed);
/* The receipt of a model or of a release, as JSON. */
TACET_API int tacet_model_receipt(tacet_model model, char* out, size_t size, size_t* needed);

/* The epsilon proved for an event (docs/explanations/accounting.md), as JSON, at delta. */
TACET_API int tacet_account(const char* event_json, int adjacency, double delta, double* epsilon);

/* A device, which takes part in a task of local learning with one report that is private before it
 * leaves (docs/two-terminals.md). The library computes, books and keeps; the program brings the
 * network, as a phone's system has it. `task` are the bytes of the task file, from somebody else
 * than the server; `policy` is what the device's owner allows, in TOML. */
TACET_API int tacet_device_new(const char* task, size_t size, const char* policy,
                               tacet_device* device);
/* By name: "record", a file with one record; "folder", which the device keeps, made when missing;
 * "token", 64 hexadecimal digits ("": the program's connection shows a certificate); "patience",
 * seconds for which a server that does not answer is waited for ("3600"). */
TACET_API int tacet_device_set(tacet_device device, const char* name, const char* value);

/* What is asked of the server. `path` stands behind its address; `token` goes into a header
 * `Authorization: Bearer TOKEN`, where it is not ""; POST has a Content-Length, 0 too. The body of
 * the answer goes to `answer`, where there is room for `room` bytes. */
typedef struct tacet_request {
  const char* method; /* "GET" or "POST" */
  const char* path;
  const char* token;
  const char* body;
  size_t body_size;
  char* answer;
  size_t room;
} tacet_request;
typedef struct tacet_reply {
  int status;            /* of HTTP */
  size_t size;           /* of the answer's body */
  int64_t retry_seconds; /* of a header Retry-After in seconds; 0: none */
} tacet_reply;
/* Sends it over TLS to the server, whose certificate and name it verifies, or to a server on the
 * same machine: a token must be read on the way by nobody. Redirects are answers like others.
 * Returns 0; TACET_IO where no answer came, or one of more than `room` bytes, and it is asked again
 * later; TACET_INTERRUPTED to end the call; any other number for a server that is not who it
 * should be. May neither throw nor be left by longjmp. */
typedef int (*tacet_exchange)(const tacet_request* request, tacet_reply* reply, void* context);
/* Sleeps; an answer other than 0 ends the call with TACET_INTERRUPTED. */
typedef int (*tacet_wait)(int64_t milliseconds, void* context);
/* Takes part, once, as `tacet join` does. It books the cost before the record is read, draws one
 * report, keeps it, and sends these bytes until they are answered. If you call it again, it sends
 * the same bytes. It returns 0 if the report counted. It returns TACET_IO if the server took none
 * in the end; the report's cost then stays spent. `wait` may be NULL. If `resume` is not 0, it
 * sends the report that was drawn before, and draws none. */
TACET_API int tacet_device_join(tacet_device device, tacet_exchange exchange, tacet_wait wait,
                                void* context, int resume);
/* For test vectors (docs/reference/local-protocol.md): makes the frame of a made-up record with
 * noise from a known seed. It protects nobody, and is booked and sent nowhere. `model` are the
 * bytes that the server has for the round. `needed`, which may be NULL, gets the length of the
 * frame. Ask for that alone with `frame` NULL and `room` 0. */
TACET_API int tacet_device_rehearse(tacet_device device, uint64_t seed, uint64_t round,
                                    const char* model, size_t size, uint64_t report_number,
                                    char* frame, size_t room, size_t* needed);

/* Any object. 0 is nothing to free. */
TACET_API int tacet_free(uint64_t object);

/* Of this thread's last call that failed; "" before. It lasts until the thread's next call. */
TACET_API const char* tacet_last_error(void);
/* "usage", "data" and so on; "unknown" for numbers that are no kind. */
TACET_API const char* tacet_error_name(int kind);
TACET_API const char* tacet_version(void);

#ifdef __cplusplus
}
#endif

#endif /* TACET_H */
