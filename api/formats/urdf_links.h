/* The geometry of a URDF's links; internal to the formats. */
#ifndef FORMATS_URDF_LINKS_H
#define FORMATS_URDF_LINKS_H

#include "formats/robot_spheres.h"
#include "formats/xml.h"

/* The pose of an <origin>, which may be missing. false: a fault. */
bool urdf_frame(const xmlNode *parent, struct robot_frame *frame, struct problem *problem);

/* Appends all links with their spheres; `spheres` (NULL: none) replaces those of the links that it
 * has. tolerance: of covers; 0: the default. Goes on after faults; false: there was one. */
bool urdf_read_links(const xmlNode *root, const struct robot_spheres *spheres, double tolerance,
                     struct robot_document *robot, const struct limits *limits,
                     struct problem *problem);

#endif
