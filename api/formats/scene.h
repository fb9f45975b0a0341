/* MoveIt planning scenes as text (.scene), of both versions, as obstacles.
 *
 *     name NL { "* " id NL [pose] shapes { shape pose rgba } [subframes { name pose }] } "."
 *     shape := sphere r | box x y z | cylinder r l | cone r l | mesh nv nt, vertices, triangles
 *     pose := x y z qx qy qz qw
 *
 * The newer version has what is in brackets, and shapes lie in their object's frame. Which one it
 * is the line after the first object's id tells: it has blanks inside in the newer one. The first
 * shape of an object has its id, the others ID#2, ID#3 …; objects of one id are one. A cone becomes
 * a mesh of flat sides that has it inside. Planes are refused: they have no end. Colours and
 * subframes are left out. Time n log n in shapes, linear in meshes.
 */
#ifndef FORMATS_SCENE_H
#define FORMATS_SCENE_H

#include "formats/format.h"

/* A reader of format.h's table. */
bool scene_read(struct world_document *world, struct format_report *report,
                const struct format_file *file);

#endif
