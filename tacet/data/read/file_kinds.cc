
#include "tacet/base/error.h"
#include "tacet/data/read/libsvm.h"
#include "tacet/data/read/uniform_records.h"
#include "tacet/data/schema/file_kind.h"

namespace tacet::data {
namespace {

using internal::open_csr;
using internal::open_dense;
using internal::open_libsvm;

constexpr FileKind kinds[] = {
    {"csv", "CSV", Storage::dense, true, nullptr, nullptr},
    {"libsvm", "LIBSVM", Storage::sparse, true, looks_like_libsvm, open_libsvm},
    {"npy", "an NPY or IDX array", Storage::dense, false, looks_like_array, open_dense},
    {"npy-csr", "compressed sparse rows in NPY arrays", Storage::sparse, false, nullptr, open_csr},
};

}  // namespace

std::span<const FileKind> file_kinds() { return kinds; }

const FileKind& file_kind(std::string_view name) {
  for (const FileKind& kind : kinds) {
    if (kind.name == name) return kind;
  }
  throw base::InternalError("no kind of file is named '{}'", name);
}

}  // namespace tacet::data
