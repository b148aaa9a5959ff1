-- What Metabase asks when it connects, synchronizes tables and columns and reads privileges; and a question that it
-- makes from a click.
SET SESSION CHARACTERISTICS AS TRANSACTION READ ONLY;
SET SESSION TIMEZONE TO 'UTC';
SHOW TIMEZONE;
SET application_name = 'Metabase v0.56.1 [00000000-0000-0000-0000-000000000000]';
SET SESSION CHARACTERISTICS AS TRANSACTION ISOLATION LEVEL READ UNCOMMITTED;
SHOW TRANSACTION ISOLATION LEVEL;
BEGIN READ ONLY;
COMMIT;
SHOW server_version;
SELECT 1;
SELECT "n"."nspname" AS "schema", "c"."relname" AS "name",
  CASE "c"."relkind" WHEN 'r' THEN 'TABLE' WHEN 'p' THEN 'PARTITIONED TABLE' WHEN 'v' THEN 'VIEW' WHEN 'f' THEN 'FOREIGN TABLE' WHEN 'm' THEN 'MATERIALIZED VIEW' ELSE NULL END AS "type",
  "d"."description" AS "description", NULLIF("stat"."n_live_tup", 0) AS "estimated_row_count"
FROM "pg_catalog"."pg_class" AS "c"
INNER JOIN "pg_catalog"."pg_namespace" AS "n" ON "c"."relnamespace" = "n"."oid"
LEFT JOIN "pg_catalog"."pg_description" AS "d" ON ("c"."oid" = "d"."objoid") AND ("d"."objsubid" = 0) AND ("d"."classoid" = CAST('pg_class' AS regclass))
LEFT JOIN "pg_stat_user_tables" AS "stat" ON ("n"."nspname" = "stat"."schemaname") AND ("c"."relname" = "stat"."relname")
WHERE ("c"."relnamespace" = "n"."oid") AND ("n"."nspname" !~ '^pg_') AND ("n"."nspname" <> 'information_schema') AND ("c"."relkind" IN ('r', 'p', 'v', 'f', 'm'))
ORDER BY "type" ASC, "schema" ASC, "name" ASC;
SELECT "c"."column_name" AS "name", CASE WHEN "c"."udt_schema" IN ('public', 'pg_catalog') THEN FORMAT_TYPE("a"."atttypid", "a"."atttypmod") ELSE '"' || "c"."udt_schema" || '"."' || "c"."udt_name" || '"' END AS "database-type",
  "c"."ordinal_position" - 1 AS "database-position", "c"."table_schema" AS "table-schema", "c"."table_name" AS "table-name", "pk"."column_name" IS NOT NULL AS "pk?",
  COL_DESCRIPTION(CAST(CAST(QUOTE_IDENT("c"."table_schema") || '.' || QUOTE_IDENT("c"."table_name") AS regclass) AS oid), "c"."ordinal_position") AS "field-comment",
  (("column_default" IS NULL) OR (LOWER("column_default") = 'null')) AND ("is_nullable" = 'NO') AND NOT ((("column_default" IS NOT NULL) AND ("column_default" LIKE '%nextval(%')) OR ("is_identity" <> 'NO')) AS "database-required"
FROM "information_schema"."columns" AS "c"
LEFT JOIN (SELECT "tc"."table_schema", "tc"."table_name", "kc"."column_name" FROM "information_schema"."table_constraints" AS "tc"
  INNER JOIN "information_schema"."key_column_usage" AS "kc" ON ("tc"."constraint_name" = "kc"."constraint_name") AND ("tc"."table_schema" = "kc"."table_schema") AND ("tc"."table_name" = "kc"."table_name")
  WHERE "tc"."constraint_type" = 'PRIMARY KEY') AS "pk" ON ("c"."table_schema" = "pk"."table_schema") AND ("c"."table_name" = "pk"."table_name") AND ("c"."column_name" = "pk"."column_name")
INNER JOIN "pg_catalog"."pg_namespace" AS "n" ON "n"."nspname" = "c"."table_schema"
INNER JOIN "pg_catalog"."pg_class" AS "k" ON ("k"."relname" = "c"."table_name") AND ("k"."relnamespace" = "n"."oid")
INNER JOIN "pg_catalog"."pg_attribute" AS "a" ON ("a"."attrelid" = "k"."oid") AND ("a"."attname" = "c"."column_name")
WHERE c.table_schema !~ '^information_schema|catalog_history|pg_' AND ("c"."table_schema" IN ('public')) AND ("c"."table_name" IN ('visits', 'zips'))
ORDER BY "table-schema" ASC, "table-name" ASC, "database-position" ASC;
SELECT "fk_ns"."nspname" AS "fk-table-schema", "fk_table"."relname" AS "fk-table-name", "fk_column"."attname" AS "fk-column-name", "pk_ns"."nspname" AS "pk-table-schema", "pk_table"."relname" AS "pk-table-name", "pk_column"."attname" AS "pk-column-name"
FROM "pg_constraint" AS "c"
INNER JOIN "pg_class" AS "fk_table" ON "c"."conrelid" = "fk_table"."oid"
INNER JOIN "pg_namespace" AS "fk_ns" ON "c"."connamespace" = "fk_ns"."oid"
INNER JOIN "pg_attribute" AS "fk_column" ON "c"."conrelid" = "fk_column"."attrelid"
INNER JOIN "pg_class" AS "pk_table" ON "c"."confrelid" = "pk_table"."oid"
INNER JOIN "pg_namespace" AS "pk_ns" ON "pk_table"."relnamespace" = "pk_ns"."oid"
INNER JOIN "pg_attribute" AS "pk_column" ON "c"."confrelid" = "pk_column"."attrelid"
WHERE fk_ns.nspname !~ '^information_schema|catalog_history|pg_' AND ("c"."contype" = 'f'::char) AND ("fk_column"."attnum" = ANY(c.conkey)) AND ("pk_column"."attnum" = ANY(c.confkey))
ORDER BY "fk-table-schema" ASC, "fk-table-name" ASC;
SELECT "tmp"."table-schema", "tmp"."table-name", "tmp"."field-name" FROM (SELECT "ns"."nspname" AS "table-schema", "tbl"."relname" AS "table-name", "att"."attname" AS "field-name"
  FROM "pg_index" AS "idx" INNER JOIN "pg_class" AS "tbl" ON "tbl"."oid" = "idx"."indrelid" INNER JOIN "pg_namespace" AS "ns" ON "ns"."oid" = "tbl"."relnamespace"
  INNER JOIN "pg_attribute" AS "att" ON ("att"."attrelid" = "tbl"."oid") AND ("att"."attnum" = ANY(idx.indkey))) AS "tmp";
SELECT NULL AS role, t.schemaname AS schema, t.objectname AS "table",
  pg_catalog.has_any_column_privilege(current_user, '"' || replace(t.schemaname, '"', '""') || '"' || '.' || '"' || replace(t.objectname, '"', '""') || '"', 'update') AS update,
  pg_catalog.has_table_privilege(current_user, '"' || t.schemaname || '"."' || t.objectname || '"', 'SELECT') AS "select"
FROM (SELECT schemaname, tablename AS objectname FROM pg_catalog.pg_tables UNION SELECT schemaname, viewname AS objectname FROM pg_views UNION SELECT schemaname, matviewname AS objectname FROM pg_matviews) t
WHERE t.schemaname !~ '^pg_' AND t.schemaname <> 'information_schema' AND pg_catalog.has_schema_privilege(current_user, t.schemaname, 'usage');
SELECT nspname, typname FROM pg_type t JOIN pg_namespace n ON n.oid = t.typnamespace WHERE t.oid IN (SELECT DISTINCT enumtypid FROM pg_enum e);
SET discreet.epsilon = 1;
SELECT "public"."visits"."clinic" AS "clinic", COUNT(*) AS "count" FROM "public"."visits" WHERE "public"."visits"."age" >= 30 GROUP BY "public"."visits"."clinic" ORDER BY "public"."visits"."clinic" ASC;
