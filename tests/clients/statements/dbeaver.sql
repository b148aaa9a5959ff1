-- What DBeaver asks when it connects, opens the tree of schemas and shows a table.
SET application_name = 'DBeaver - Main';
SET extra_float_digits = 3;
SELECT current_schema(), session_user;
SELECT version();
SHOW search_path;
SELECT db.oid, db.* FROM pg_catalog.pg_database db WHERE datname = 'discreet';
SELECT db.oid, db.* FROM pg_catalog.pg_database db WHERE datallowconn AND NOT datistemplate OR db.datname = 'discreet' ORDER BY db.datname;
SELECT * FROM pg_catalog.pg_settings WHERE name = 'standard_conforming_strings';
SELECT string_agg(word, ',') FROM pg_catalog.pg_get_keywords() WHERE word <> ALL ('{a,abs,absolute,action,ada,add}'::text[]);
SELECT n.oid, n.*, d.description FROM pg_catalog.pg_namespace n
LEFT OUTER JOIN pg_catalog.pg_description d ON d.objoid = n.oid AND d.objsubid = 0 AND d.classoid = 'pg_namespace'::regclass
 ORDER BY nspname;
SELECT t.oid, t.*, c.relkind, format_type(nullif(t.typbasetype, 0), t.typtypmod) AS base_type_name, d.description
FROM pg_catalog.pg_type t
LEFT OUTER JOIN pg_catalog.pg_class c ON c.oid = t.typrelid
LEFT OUTER JOIN pg_catalog.pg_description d ON t.oid = d.objoid
WHERE t.typname IS NOT NULL
AND (c.relkind IS NULL OR c.relkind = 'c') AND (t.typcategory IS NULL OR t.typcategory <> 'C');
SELECT c.oid, c.*, d.description, pg_catalog.pg_get_expr(c.relpartbound, c.oid) AS partition_expr, pg_catalog.pg_get_partkeydef(c.oid) AS partition_key
FROM pg_catalog.pg_class c
LEFT OUTER JOIN pg_catalog.pg_description d ON d.objoid = c.oid AND d.objsubid = 0 AND d.classoid = 'pg_class'::regclass
WHERE c.relnamespace = 2200 AND c.relkind NOT IN ('i', 'I', 'c');
SELECT c.relname, a.*, pg_catalog.pg_get_expr(ad.adbin, ad.adrelid, true) AS def_value, dsc.description, dep.objid
FROM pg_catalog.pg_attribute a
INNER JOIN pg_catalog.pg_class c ON (a.attrelid = c.oid)
LEFT OUTER JOIN pg_catalog.pg_attrdef ad ON (a.attrelid = ad.adrelid AND a.attnum = ad.adnum)
LEFT OUTER JOIN pg_catalog.pg_description dsc ON (c.oid = dsc.objoid AND a.attnum = dsc.objsubid)
LEFT OUTER JOIN pg_depend dep ON dep.refobjid = a.attrelid AND dep.deptype = 'i' AND dep.refobjsubid = a.attnum AND dep.classid = dep.refclassid
WHERE NOT a.attisdropped AND c.relkind NOT IN ('i', 'I', 'c') AND c.oid = 16384
ORDER BY a.attnum;
SELECT c.oid, c.*, t.relname AS tabrelname, rt.relnamespace AS refnamespace, d.description, null AS consrc_copy
FROM pg_catalog.pg_constraint c
INNER JOIN pg_catalog.pg_class t ON t.oid = c.conrelid
LEFT OUTER JOIN pg_catalog.pg_class rt ON rt.oid = c.confrelid
LEFT OUTER JOIN pg_catalog.pg_description d ON d.objoid = c.oid AND d.objsubid = 0 AND d.classoid = 'pg_constraint'::regclass
WHERE c.conrelid = 16384
ORDER BY c.oid;
SELECT i.*, i.indkey AS keys, c.relname, c.relnamespace, c.relam, c.reltablespace, tc.relname AS tabrelname, dsc.description
FROM pg_catalog.pg_index i
INNER JOIN pg_catalog.pg_class c ON c.oid = i.indexrelid
INNER JOIN pg_catalog.pg_class tc ON tc.oid = i.indrelid
LEFT OUTER JOIN pg_catalog.pg_description dsc ON i.indexrelid = dsc.objoid
WHERE i.indrelid = 16384 ORDER BY tabrelname, c.relname;
SELECT DISTINCT dep.deptype, dep.classid, dep.objid, cl.relkind, attr.attname, pg_get_expr(ad.adbin, ad.adrelid) AS adefval,
    CASE WHEN cl.relkind IS NOT NULL THEN cl.relkind || coalesce(dep.objsubid::text, '') WHEN tg.oid IS NOT NULL THEN 'T'::text ELSE '' END AS type,
    coalesce(coc.relname, clrw.relname, tgr.relname) AS ownertable
FROM pg_depend dep
LEFT JOIN pg_class cl ON dep.objid = cl.oid
LEFT JOIN pg_attribute attr ON dep.objid = attr.attrelid AND dep.objsubid = attr.attnum
LEFT JOIN pg_trigger tg ON dep.objid = tg.oid
LEFT JOIN pg_class tgr ON tg.tgrelid = tgr.oid
LEFT JOIN pg_rewrite rw ON dep.objid = rw.oid
LEFT JOIN pg_class clrw ON clrw.oid = rw.ev_class
LEFT JOIN pg_constraint co ON dep.objid = co.oid
LEFT JOIN pg_class coc ON co.conrelid = coc.oid
LEFT JOIN pg_attrdef ad ON ad.oid = dep.objid
WHERE dep.refobjid = 16384 ORDER BY type;
SELECT a.oid, a.*, pd.description FROM pg_catalog.pg_roles a LEFT JOIN pg_catalog.pg_shdescription pd ON a.oid = pd.objoid ORDER BY a.rolname;
SELECT e.oid, cfg.tbls, n.nspname AS schema_name, e.* FROM pg_catalog.pg_extension e JOIN pg_namespace n ON n.oid = e.extnamespace
LEFT JOIN (SELECT ARRAY_AGG(ns.nspname || '.' || cls.relname) AS tbls, oid_ext FROM (SELECT unnest(e1.extconfig) AS oid, e1.oid AS oid_ext FROM pg_catalog.pg_extension e1) c
JOIN pg_catalog.pg_class cls ON cls.oid = c.oid JOIN pg_catalog.pg_namespace ns ON ns.oid = cls.relnamespace GROUP BY oid_ext) cfg ON cfg.oid_ext = e.oid ORDER BY e.oid;
SELECT am.oid, am.* FROM pg_catalog.pg_am am ORDER BY am.oid;
SELECT t.oid, t.*, pg_tablespace_location(t.oid) AS loc FROM pg_catalog.pg_tablespace t ORDER BY t.oid;
SELECT pg_catalog.pg_total_relation_size(16384), pg_catalog.pg_relation_size(16384);
-- Which columns this version's catalog has.
SELECT reltype FROM pg_catalog.pg_class WHERE 1<>1 LIMIT 1;
SELECT typcategory FROM pg_catalog.pg_type WHERE 1<>1 LIMIT 1;
SELECT attidentity FROM pg_catalog.pg_attribute WHERE 1<>1 LIMIT 1;
SELECT relrowsecurity FROM pg_catalog.pg_class WHERE 1<>1 LIMIT 1;
SELECT prokind FROM pg_catalog.pg_proc WHERE 1<>1 LIMIT 1;
SELECT * FROM pg_catalog.pg_enum WHERE 1<>1 LIMIT 1;
SET search_path = public,"$user";
SHOW TRANSACTION ISOLATION LEVEL;
-- What the rest of its tree is made of.
SELECT l.oid, l.* FROM pg_catalog.pg_language l ORDER BY l.oid;
SELECT c.contoencoding AS encid, pg_catalog.pg_encoding_to_char(c.contoencoding) AS encname FROM pg_catalog.pg_conversion c GROUP BY c.contoencoding ORDER BY 2;
SELECT f.oid, f.* FROM pg_catalog.pg_foreign_data_wrapper f ORDER BY f.fdwname;
SELECT f.oid, f.* FROM pg_catalog.pg_foreign_server f ORDER BY f.srvname;
SELECT p.oid, p.*, d.description FROM pg_catalog.pg_proc p LEFT OUTER JOIN pg_catalog.pg_description d ON d.objoid = p.oid WHERE p.pronamespace = 2200 ORDER BY p.proname;
SELECT x.oid, x.* FROM pg_catalog.pg_event_trigger x;
SELECT i.*, c.relnamespace FROM pg_catalog.pg_inherits i, pg_catalog.pg_class c WHERE i.inhrelid = 16384 AND c.oid = i.inhparent ORDER BY i.inhseqno;
SELECT pg_catalog.obj_description(16384, 'pg_class'), pg_catalog.pg_get_userbyid(10);
