/*
 * Text inside of XML: what would end or begin markup is written as a reference, and what XML 1.0 has no way to hold as
 * \xNN.
 */
#ifndef CALLSIG_OUTPUT_XML_H
#define CALLSIG_OUTPUT_XML_H

#include "text.h"

/* Appends bytes, which need not be UTF-8, for use between tags and in quoted attributes. */
void cs_xml_text(struct cs_text *text, const char *bytes, size_t length);

#endif
