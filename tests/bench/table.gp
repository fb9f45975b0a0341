# Draws how figures grow with milestones: gnuplot -e "folder='build/bench'" tests/bench/table.gp
set terminal svg size 760,480 background rgb "white" noenhanced font "sans-serif,13"
set encoding utf8
set datafile missing "-"
set grid
set key left top
set style data linespoints
set logscale xy
set xlabel "milestones"
table = folder . "/growth.txt"

set output folder . "/growth_build.svg"
set ylabel "milliseconds"
set title "Building is linear in the number of milestones"
plot table every ::1 using 1:2 title "build", "" every ::1 using 1:4 title "landmarks", \
     "" every ::1 using 1:($1*3e-3) with lines dashtype 2 title "3 µs a milestone"

set output folder . "/growth_queries.svg"
set key right top
set ylabel "queries a second"
set title "Queries by the size of the roadmap"
plot table every ::1 using 1:5 title "shortest", "" every ::1 using 1:6 title "fewest edges"
