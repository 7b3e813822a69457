/* From C: a model from a matrix in memory, its receipt, and what a hundred noisy sums cost.
 *
 *     cc -std=c99 main.c $(pkg-config --cflags --libs tacet-c) -o c */
#include <stdio.h>

#include "tacet.h"

static const char* const schema_text =
    "public_row_count = 4\n[format]\nkind = \"npy\"\n"
    "[features]\ncount = 2\nlower = -1\nupper = 1\n"
    "[target]\npositive = [\"1\"]\nnegative = [\"0\"]\n";

int main(void) {
  const double rows[] = {1, 0, 0.5, 0.2, -1, 0, -0.7, 0.1};
  const double labels[] = {1, 1, 0, 0};
  double classes[4];
  char receipt[4096];
  double epsilon = 0;
  tacet_schema schema = 0;
  tacet_options options = 0;
  tacet_model model = 0;
  if (tacet_schema_parse(schema_text, "schema", &schema) || tacet_options_new(&options) ||
      tacet_options_set(options, "epsilon", "1") || tacet_options_set(options, "delta", "1e-6") ||
      tacet_train_matrix(schema, options, 0, rows, 4, 2, labels, &model) ||
      tacet_predict_matrix(model, rows, 4, 2, classes, 4) ||
      tacet_model_receipt(model, receipt, sizeof receipt, NULL) ||
      tacet_account("{\"version\": 1, \"event\": {\"kind\": \"repeated\", \"count\": 100,"
                    " \"base\": {\"kind\": \"gaussian\", \"noise_multiplier\": 40}}}",
                    TACET_ADD_REMOVE, 1e-6, &epsilon)) {
    fprintf(stderr, "%s\n", tacet_last_error());
    return 1;
  }
  printf("tacet %s\nclass of the first record: %g\n%s\n100 sums: epsilon %g\n", tacet_version(),
         classes[0], receipt, epsilon);
  return tacet_free(model) || tacet_free(options) || tacet_free(schema);
}
