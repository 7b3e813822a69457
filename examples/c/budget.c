/* From C: a histogram and a training on one budget; the training is cancelled and tried again.
 *
 *     cc -std=c99 budget.c $(pkg-config --cflags --libs tacet-c) -o budget */
#include <stdio.h>

#include "tacet.h"

static const char* const schema_text =
    "public_row_count = 500\n[target]\ncolumn = \"ill\"\npositive = [\"yes\"]\nnegative = [\"no\"]\n"
    "[[column]]\nname = \"age\"\nkind = \"numeric\"\nlower = 0\nupper = 100\n";

static int impatient(const char* phase, int64_t done, int64_t total, void* tries) {
  (void)phase, (void)total;
  return *(int*)tries == 1 && done == 10; /* the first try, after ten steps */
}
int main(void) {
  double ages[500], counts[4], epsilon = 0, delta = 0;
  const char* ill[500];
  int64_t quarters[500];
  int failure = 0, tries = 0;
  uint64_t schema = 0, options = 0, budget = 0, table = 0, model = 0;
  for (int i = 0; i < 500; ++i) {
    ages[i] = i % 100, quarters[i] = i % 100 / 25, ill[i] = i % 100 > 60 ? "yes" : "no";
  }
  failure = tacet_schema_parse(schema_text, "schema", &schema) || tacet_options_new(&options) ||
            tacet_options_set(options, "epsilon", "1") || tacet_table_new(500, &table) ||
            tacet_options_progress(options, impatient, &tries) ||
            tacet_table_numbers(table, "age", ages, 500) ||
            tacet_table_texts(table, "ill", ill, 500) ||
            tacet_budget_new(3, 0.01, TACET_ADD_REMOVE, &budget) ||
            tacet_release_histogram(budget, quarters, 500, 0.5, 0, TACET_ADD_REMOVE, counts, 4, NULL);
  if (!failure) printf("from 75 on: about %g\n", counts[3]);
  while (!failure && model == 0 && tries++ < 2) {
    const int kind = tacet_train_table(schema, options, budget, table, &model);
    if (kind) printf("%s: %s\n", tacet_error_name(kind), tacet_last_error());
  }
  if (!failure && !tacet_budget_spent(budget, &epsilon, &delta)) printf("spent: epsilon %g\n", epsilon);
  return model == 0 ? fprintf(stderr, "%s\n", tacet_last_error()), 1 : 0;
}
