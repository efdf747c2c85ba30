/*
 * Text inside of XML: what would end or begin markup is written as a reference, and what XML 1.0 has no way to hold as
 * \xNN.
 */
#ifndef CALLSIG_OUTPUT_TEXT_XML_H
#define CALLSIG_OUTPUT_TEXT_XML_H

#include "output/text/text.h"

/* Appends bytes, which need not be UTF-8, for use between tags and in quoted attributes. */
void out_xml_text(struct out_text *text, const char *bytes, size_t length);

#endif
