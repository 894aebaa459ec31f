/* SPDX-License-Identifier: BSD-2-Clause
 *
 * Shows a heap profile in a GTK window, follows its file while it grows, and zooms in time.
 */
#include <errno.h>
#include <fcntl.h>
#include <gtk/gtk.h>
#include <math.h>
#include <unistd.h>

#include "hpfile/live.h"
#include "hprender/cairo.h"

#define PT_PER_PX  0.75 /* a pixel of GTK is 1/96 inch, also on a HiDPI screen */
#define MESSAGE_PT 18   /* height of the line below the picture */

static const char *path;
static int fd = -1;          /* the file, once it exists */
static hpf_error read_error; /* status HPF_OK: none */
static hpf_live *live;
static hpr_fonts *fonts;
static hpr_options options;
static hpr_chart *chart, *whole;     /* the drawn chart; the last one of the whole profile */
static hpr_pin pins[16];             /* the colours of `whole`, for all later charts */
static double first, last, from, to; /* of the profile; of the zoom: both 0 for all */
static double plot_left, plot_width; /* in pixels */

/* Creates `chart`, of the whole profile, or of `from` to `to` by reading the file again. */
static hpf_status make_chart(hpf_error *err)
{
    const hpf_survey_options window = {
        .size = sizeof window, .has_window = true, .from_time = from, .to_time = to};
    hpf_source *source = NULL;
    hpf_survey *survey, *part = NULL;
    hpf_status status = hpf_live_survey(&survey, live, err);
    if (status != HPF_OK) {
        return status;
    }
    first = hpf_survey_overview(survey)->first_time;
    last = hpf_survey_overview(survey)->last_time;
    if (to > from) {
        status = hpf_source_open(
            &source, path, &(hpf_source_options){.size = sizeof(hpf_source_options), .keep = true},
            err);
        status = status ? status : hpf_survey_create(&part, source, &window, err);
        survey = part;
    }
    status = status ? status
                    : hpr_chart_create(&chart, survey, &options, hpr_fonts_measurer(fonts), err);
    hpf_survey_destroy(part);
    hpf_source_destroy(source);
    return status;
}

static gboolean on_draw(GtkWidget *area, cairo_t *cr)
{
    hpf_error err = {.message = "scroll: zoom   0: show all   q: quit"};
    options.width_pt = gtk_widget_get_allocated_width(area) * PT_PER_PX;
    options.height_pt = gtk_widget_get_allocated_height(area) * PT_PER_PX - MESSAGE_PT;
    cairo_scale(cr, 1 / PT_PER_PX, 1 / PT_PER_PX);
    hpf_status status = make_chart(&err);
    if (status == HPF_OK) {
        (void)!hpr_draw_chart(cr, chart, &options, fonts, &err);
        plot_left = chart->plot_x_pt / PT_PER_PX;
        plot_width = chart->plot_width_pt / PT_PER_PX;
        if (to <= from) {
            options.pins = pins;
            options.n_pins = MIN(chart->n_bands, G_N_ELEMENTS(pins));
            for (size_t i = 0; i < options.n_pins; i++) {
                pins[i] = (hpr_pin){chart->bands[i].name, chart->bands[i].fill.colour};
            }
            hpr_chart_destroy(whole);
            whole = g_steal_pointer(&chart);
        }
        g_clear_pointer(&chart, hpr_chart_destroy);
    } else if (status == HPF_MORE && hpf_live_diagnosis(live, &err) == HPF_OK) {
        hpf_error_set(&err, HPF_MORE, fd < 0 ? "Waiting for the file" : "Waiting for a sample");
    }
    cairo_move_to(cr, 8, options.height_pt + MESSAGE_PT - 5);
    cairo_set_source_rgb(cr, 0.4, 0.4, 0.4);
    cairo_show_text(cr, read_error.status ? read_error.message : err.message);
    return TRUE;
}

/* Feeds the bytes that were appended to the file since the last call. */
static gboolean read_more(gpointer area)
{
    static char bytes[1 << 16];
    ssize_t n;
    fd = fd < 0 ? open(path, O_RDONLY | O_CLOEXEC) : fd;
    while (fd >= 0 && !read_error.status && (n = read(fd, bytes, sizeof bytes)) != 0) {
        (void)!(n < 0 ? hpf_error_set_os(&read_error, errno, "cannot read")
                      : hpf_live_feed(live, bytes, (size_t)n, &read_error));
        gtk_widget_queue_draw(area);
    }
    return G_SOURCE_CONTINUE;
}

/* Zooms in time around the pointer. */
static gboolean on_scroll(GtkWidget *area, GdkEventScroll *event)
{
    double all = last - first, start = to > from ? from : first, span = to > from ? to - from : all;
    double x, y, share = CLAMP((event->x - plot_left) / plot_width, 0, 1);
    bool is_smooth = gdk_event_get_scroll_deltas((GdkEvent *)event, &x, &y);
    y = is_smooth ? y : event->direction == GDK_SCROLL_UP ? -1 : 1;
    double wanted = CLAMP(span * pow(1.25, y), all / 20, all);
    from = wanted < all ? CLAMP(start + (span - wanted) * share, first, last - wanted) : 0;
    to = wanted < all ? from + wanted : 0;
    gtk_widget_queue_draw(area);
    return TRUE;
}

static gboolean on_key(GtkWidget *window, GdkEventKey *event)
{
    if (event->keyval == GDK_KEY_q) {
        gtk_widget_destroy(window);
    } else if (event->keyval == GDK_KEY_0 || event->keyval == GDK_KEY_Home) {
        from = to = 0;
        gtk_widget_queue_draw(window);
    }
    return TRUE;
}

int main(int argc, char **argv)
{
    gtk_init(&argc, &argv);
    if (argc != 2 || hpf_live_create(&live, NULL, NULL) ||
        hpr_fonts_create(&fonts, NULL, NULL, NULL)) {
        g_printerr("usage: viewer FILE\n");
        return 2;
    }
    path = argv[1];
    options = hpr_options_default(HPR_LOOK_MODERN);
    GtkWidget *window = gtk_window_new(GTK_WINDOW_TOPLEVEL);
    GtkWidget *area = g_object_ref(gtk_drawing_area_new()); /* for read_more */
    gtk_window_set_title(GTK_WINDOW(window), path);
    gtk_window_set_default_size(GTK_WINDOW(window), 900, 600);
    gtk_container_add(GTK_CONTAINER(window), area);
    gtk_widget_add_events(area, GDK_SCROLL_MASK | GDK_SMOOTH_SCROLL_MASK);
    g_signal_connect(area, "draw", G_CALLBACK(on_draw), NULL);
    g_signal_connect(area, "scroll-event", G_CALLBACK(on_scroll), NULL);
    g_signal_connect(window, "key-press-event", G_CALLBACK(on_key), NULL);
    g_signal_connect(window, "destroy", G_CALLBACK(gtk_main_quit), NULL);
    g_timeout_add(250, read_more, area);
    gtk_widget_show_all(window);
    gtk_main();
    g_object_unref(area);
    hpr_chart_destroy(whole);
    hpr_fonts_destroy(fonts);
    hpf_live_destroy(live);
    return 0;
}
