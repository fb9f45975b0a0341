# Draws the tables of bench_thesis as SVG: gnuplot -e "folder='build/bench/thesis'" tests/bench/thesis.gp
set terminal svg size 760,480 background rgb "white" noenhanced font "sans-serif,13"
set encoding utf8
set datafile separator ","
set datafile missing "nan"
set grid
set key left top
set style data linespoints
table(name) = folder . "/" . name . ".csv"
picture(name) = folder . "/" . name . ".svg"

set logscale xy
set xlabel "elements"
set ylabel "milliseconds"
set output picture("1_scan")
set title "Exclusive scan: time is linear in n"
plot table("scan") using 1:2 title "prm, the device's own shape", \
     "" using 1:3 title "Blelloch in groups of 64", \
     "" using 1:4 title "Hillis & Steele in groups of 64", \
     "" using 1:5 title "std::exclusive_scan", \
     "" using 1:($1*1e-6) with lines dashtype 2 title "1 ns an element"

set output picture("2_sort")
set title "Radix sort of u32 keys: one CPU thread against the device"
plot table("sort") using 1:2 title "prm", "" using 1:3 title "plain radix, one thread", \
     "" using 1:4 title "std::sort"

unset logscale
set logscale x
set key right top
set xlabel "γ"
set ylabel "attempts, mean of 8 tables of 100 000 keys"
set yrange [0:]
set output picture("3_cuckoo")
set title "Cuckoo table: attempts"
plot table("cuckoo") using 1:4 title "bucket load 0.8", "" using 1:3 title "0.7", \
     "" using 1:2 title "0.6"

unset logscale
set autoscale y
set output picture("4_neighbors")
set terminal svg size 1140,420 background rgb "white" noenhanced font "sans-serif,13"
set multiplot layout 1,3 title "Mean neighbours of 200 points, by hashing"
set ylabel "neighbours of a point"
set logscale y
set xlabel "M projections (L 1, W 1)"
unset title
plot table("neighbors_m") using 1:2 title "6 dimensions", "" using 1:3 title "12 dimensions"
unset logscale
set key left top
set xlabel "L tables (M 4, W 1)"
plot table("neighbors_l") using 1:2 title "6 dimensions", "" using 1:3 title "12 dimensions"
set xlabel "W (M 4, L 4)"
plot table("neighbors_w") using 1:2 title "6 dimensions", "" using 1:3 title "12 dimensions"
unset multiplot

set terminal svg size 760,480 background rgb "white" noenhanced font "sans-serif,13"
set logscale xy
set xlabel "points"
set ylabel "milliseconds"
do for [figure in "5_knn_6 6_knn_12"] {
    dimensions = figure[7:]
    set output picture(figure)
    set title "10 nearest neighbours of all points, " . dimensions . " dimensions"
    plot table(figure[3:]) using 1:2 title "exact, one CPU thread", \
         "" using 1:3 title "prm exact", "" using 1:4 title "prm lsh", "" using 1:5 title "prm tiles"
}
