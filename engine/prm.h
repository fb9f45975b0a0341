/* libprm: parallel primitives and motion planning on OpenCL devices. This header is the whole
 * library. Installed, it is <prm/prm.h>, and each part <prm/primitives/scan.h> and so on. */
#ifndef PRM_H
#define PRM_H

#include "device/arena.h"
#include "device/buffer.h"
#include "device/context.h"
#include "device/status.h"
#include "primitives/bin.h"
#include "primitives/bin_values.h"
#include "primitives/compact.h"
#include "primitives/cuckoo.h"
#include "primitives/graph_search.h"
#include "primitives/histogram.h"
#include "primitives/permutation.h"
#include "primitives/radix_sort.h"
#include "primitives/random.h"
#include "primitives/rank.h"
#include "primitives/scan.h"
#include "primitives/segmented_sort.h"
#include "roadmap/collision/validate.h"
#include "roadmap/nearest/neighbors.h"
#include "roadmap/plan/matrix.h"
#include "roadmap/plan/plan.h"
#include "roadmap/roadmap.h"

#endif
