# The headers that are installed: tacet/tacet.h and what it includes, each of which says what is
# computed, under which adjacency and at which cost. Nothing here may include anything else of the
# tree; tests/packaging holds that, and their number. tacet/base/version.h is generated, and
# tacet/capi/tacet.h is the library for C.
set(TACET_PUBLIC_HEADERS
    tacet/accounting/accountant.h
    tacet/accounting/filter.h
    tacet/accounting/memory_budget.h
    tacet/api/ledger.h
    tacet/api/mechanism.h
    tacet/api/model.h
    tacet/api/random.h
    tacet/api/release.h
    tacet/api/schema.h
    tacet/base/error.h
    tacet/base/progress.h
    tacet/choose/request.h
    tacet/data/encode/value.h
    tacet/optimize/sums/vector_sum.h
    tacet/privacy/adjacency.h
    tacet/privacy/budget.h
    tacet/privacy/event.h
    tacet/privacy/event_kinds.h
    tacet/privacy/event_range.h
    tacet/privacy/guarantee.h
    tacet/privacy/receipt.h
    tacet/run/rows.h
    tacet/tacet.h)
