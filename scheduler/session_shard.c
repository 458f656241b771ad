/* One of several sessions that explore a tree together, each by itself. */
#include "session_internal.h"
#include "store_schema.h"

void session_shard_common(const struct session *session, GVariantDict *common)
{
	if (session->split)
		g_variant_dict_insert(common, "split", "s", session->split);
	if (session->shared_path)
		store_common_texts(common, session->shared_path, session->shared_texts,
		                   session->shared_texts->len);
}

void session_shard_recall(struct session *session, GVariant *common)
{
	GVariantDict dict;
	GVariantIter *texts;
	GVariant *text;

	g_variant_dict_init(&dict, common);
	g_variant_dict_lookup(&dict, "split", "s", &session->split);
	if (g_variant_dict_lookup(&dict, "texts", "aay", &texts)) {
		g_variant_dict_lookup(&dict, "path", "s", &session->shared_path);
		session->shared_texts = g_ptr_array_new_with_free_func(
			(GDestroyNotify)g_bytes_unref);
		while ((text = g_variant_iter_next_value(texts))) {
			g_ptr_array_add(session->shared_texts, g_variant_get_data_as_bytes(text));
			g_variant_unref(text);
		}
		g_variant_iter_free(texts);
	}
	g_variant_dict_clear(&dict);
}

void session_shard_release(struct session *session)
{
	g_free(session->split);
	g_free(session->shared_path);
	g_clear_pointer(&session->shared_texts, g_ptr_array_unref);
}
