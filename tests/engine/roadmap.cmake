# engine/roadmap
prm_test(test_search SOURCES test_search.c USES prm_roadmap LABELS device TUNED OCLGRIND)
prm_test(test_landmarks SOURCES test_landmarks.c USES prm_roadmap LABELS device TUNED OCLGRIND)
prm_test(test_refine SOURCES test_refine.c USES prm_roadmap LABELS device TUNED OCLGRIND)
prm_test(test_connect SOURCES test_connect.c USES prm_roadmap LABELS device TUNED OCLGRIND)
prm_test(test_simplify SOURCES test_simplify.c USES prm_roadmap LABELS device TUNED OCLGRIND)
prm_test(test_plan SOURCES test_plan.c USES prm_roadmap LABELS device TUNED OCLGRIND)
prm_test(test_edges SOURCES test_edges.c oracle_world.c USES prm_roadmap m LABELS device TUNED OCLGRIND)
prm_test(test_neighbors SOURCES test_neighbors.c USES prm_roadmap m LABELS device TUNED OCLGRIND)
prm_test(test_tiles SOURCES test_tiles.c USES prm_roadmap m LABELS device TUNED OCLGRIND)
prm_test(test_trends SOURCES test_trends.c USES prm_roadmap LABELS device)
prm_test(test_world SOURCES test_world.c USES prm_roadmap m LABELS device TUNED OCLGRIND)
prm_test(test_roadmap_build SOURCES test_roadmap_build.c oracle_world.c USES prm_roadmap m LABELS device
  TUNED OCLGRIND)
