// SPDX-License-Identifier: Apache-2.0
// Columns of the tables, and the functions, in DuckDB's words.
#include "server/pgcatalog/schema.h"

namespace discreet::server::pgcatalog {

// One table a line. Types: o oid, s text, i int4, h int2, l int8, b bool, f float8, S text[],
// O oid[], H int2[].
const char* const kCatalogTables = R"(
pg_namespace oid:o nspname:s nspowner:o nspacl:S
pg_class oid:o relname:s relnamespace:o reltype:o reloftype:o relowner:o relam:o relfilenode:o reltablespace:o relpages:i reltuples:f relallvisible:i reltoastrelid:o relhasindex:b relisshared:b relpersistence:s relkind:s relnatts:h relchecks:h relhasrules:b relhastriggers:b relhassubclass:b relrowsecurity:b relforcerowsecurity:b relispopulated:b relreplident:s relispartition:b relrewrite:o relfrozenxid:l relminmxid:l relacl:S reloptions:S relpartbound:s relhasoids:b xmin:l
pg_attribute attrelid:o attname:s atttypid:o attstattarget:i attlen:h attnum:h attndims:i attcacheoff:i atttypmod:i attbyval:b attalign:s attstorage:s attcompression:s attnotnull:b atthasdef:b atthasmissing:b attidentity:s attgenerated:s attisdropped:b attislocal:b attinhcount:i attcollation:o attacl:S attoptions:S attfdwoptions:S attmissingval:s
pg_type oid:o typname:s typnamespace:o typowner:o typlen:h typbyval:b typtype:s typcategory:s typispreferred:b typisdefined:b typdelim:s typrelid:o typsubscript:o typelem:o typarray:o typinput:s typoutput:s typreceive:s typsend:s typmodin:s typmodout:s typanalyze:s typalign:s typstorage:s typnotnull:b typbasetype:o typtypmod:i typndims:i typcollation:o typdefaultbin:s typdefault:s typacl:S
pg_database oid:o datname:s datdba:o encoding:i datlocprovider:s datistemplate:b datallowconn:b datconnlimit:i datfrozenxid:l datminmxid:l dattablespace:o datcollate:s datctype:s daticulocale:s datcollversion:s datacl:S
pg_description objoid:o classoid:o objsubid:i description:s
pg_shdescription objoid:o classoid:o description:s
pg_attrdef oid:o adrelid:o adnum:h adbin:s
pg_constraint oid:o conname:s connamespace:o contype:s condeferrable:b condeferred:b convalidated:b conrelid:o contypid:o conindid:o conparentid:o confrelid:o confupdtype:s confdeltype:s confmatchtype:s conislocal:b coninhcount:i connoinherit:b conkey:H confkey:H conpfeqop:O conppeqop:O conffeqop:O confdelsetcols:H conexclop:O conbin:s
pg_index indexrelid:o indrelid:o indnatts:h indnkeyatts:h indisunique:b indnullsnotdistinct:b indisprimary:b indisexclusion:b indimmediate:b indisclustered:b indisvalid:b indcheckxmin:b indisready:b indislive:b indisreplident:b indkey:H indcollation:O indclass:O indoption:H indexprs:s indpred:s
pg_inherits inhrelid:o inhparent:o inhseqno:i inhdetachpending:b
pg_am oid:o amname:s amhandler:s amtype:s
pg_proc oid:o proname:s pronamespace:o proowner:o prolang:o procost:f prorows:f provariadic:o prosupport:s prokind:s prosecdef:b proleakproof:b proisstrict:b proretset:b provolatile:s proparallel:s pronargs:h pronargdefaults:h prorettype:o proargtypes:O proallargtypes:O proargmodes:S proargnames:S proargdefaults:s protrftypes:O prosrc:s probin:s prosqlbody:s proconfig:S proacl:S
pg_enum oid:o enumtypid:o enumsortorder:f enumlabel:s
pg_range rngtypid:o rngsubtype:o rngmultitypid:o rngcollation:o rngsubopc:o rngcanonical:s rngsubdiff:s
pg_extension oid:o extname:s extowner:o extnamespace:o extrelocatable:b extversion:s extconfig:O extcondition:S
pg_collation oid:o collname:s collnamespace:o collowner:o collprovider:s collisdeterministic:b collencoding:i collcollate:s collctype:s colliculocale:s collversion:s
pg_tablespace oid:o spcname:s spcowner:o spcacl:S spcoptions:S
pg_language oid:o lanname:s lanowner:o lanispl:b lanpltrusted:b lanplcallfoid:o laninline:o lanvalidator:o lanacl:S
pg_operator oid:o oprname:s oprnamespace:o oprowner:o oprkind:s oprcanmerge:b oprcanhash:b oprleft:o oprright:o oprresult:o oprcom:o oprnegate:o oprcode:s oprrest:s oprjoin:s
pg_opclass oid:o opcmethod:o opcname:s opcnamespace:o opcowner:o opcfamily:o opcintype:o opcdefault:b opckeytype:o
pg_opfamily oid:o opfmethod:o opfname:s opfnamespace:o opfowner:o
pg_amop oid:o amopfamily:o amoplefttype:o amoprighttype:o amopstrategy:h amoppurpose:s amopopr:o amopmethod:o amopsortfamily:o
pg_aggregate aggfnoid:o aggkind:s aggnumdirectargs:h
pg_cast oid:o castsource:o casttarget:o castfunc:o castcontext:s castmethod:s
pg_conversion oid:o conname:s connamespace:o conowner:o conforencoding:i contoencoding:i conproc:s condefault:b
pg_depend classid:o objid:o objsubid:i refclassid:o refobjid:o refobjsubid:i deptype:s
pg_shdepend dbid:o classid:o objid:o objsubid:i refclassid:o refobjid:o deptype:s
pg_trigger oid:o tgrelid:o tgparentid:o tgname:s tgfoid:o tgtype:h tgenabled:s tgisinternal:b tgconstrrelid:o tgconstrindid:o tgconstraint:o tgdeferrable:b tginitdeferred:b tgnargs:h tgattr:H tgargs:s tgqual:s tgoldtable:s tgnewtable:s
pg_rewrite oid:o rulename:s ev_class:o ev_type:s ev_enabled:s is_instead:b ev_qual:s ev_action:s
pg_policy oid:o polname:s polrelid:o polcmd:s polpermissive:b polroles:O polqual:s polwithcheck:s
pg_statistic_ext oid:o stxrelid:o stxname:s stxnamespace:o stxowner:o stxstattarget:i stxkeys:H stxkind:S stxexprs:s
pg_publication oid:o pubname:s pubowner:o puballtables:b pubinsert:b pubupdate:b pubdelete:b pubtruncate:b pubviaroot:b
pg_publication_rel oid:o prpubid:o prrelid:o prqual:s prattrs:H
pg_publication_namespace oid:o pnpubid:o pnnspid:o
pg_subscription oid:o subdbid:o subname:s subowner:o subenabled:b
pg_partitioned_table partrelid:o partstrat:s partnatts:h partdefid:o partattrs:H partclass:O partcollation:O partexprs:s
pg_foreign_table ftrelid:o ftserver:o ftoptions:S
pg_foreign_server oid:o srvname:s srvowner:o srvfdw:o srvtype:s srvversion:s srvacl:S srvoptions:S
pg_foreign_data_wrapper oid:o fdwname:s fdwowner:o fdwhandler:o fdwvalidator:o fdwacl:S fdwoptions:S
pg_user_mapping oid:o umuser:o umserver:o umoptions:S
pg_sequence seqrelid:o seqtypid:o seqstart:l seqincrement:l seqmax:l seqmin:l seqcache:l seqcycle:b
pg_event_trigger oid:o evtname:s evtevent:s evtowner:o evtfoid:o evtenabled:s evttags:S
pg_auth_members roleid:o member:o grantor:o admin_option:b
pg_db_role_setting setdatabase:o setrole:o setconfig:S
pg_seclabel objoid:o classoid:o objsubid:i provider:s label:s
pg_default_acl oid:o defaclrole:o defaclnamespace:o defaclobjtype:s defaclacl:S
pg_init_privs objoid:o classoid:o objsubid:i privtype:s initprivs:S
pg_largeobject_metadata oid:o lomowner:o lomacl:S
pg_ts_config oid:o cfgname:s cfgnamespace:o cfgowner:o cfgparser:o
pg_ts_dict oid:o dictname:s dictnamespace:o dictowner:o dicttemplate:o dictinitoption:s
pg_ts_parser oid:o prsname:s prsnamespace:o
pg_ts_template oid:o tmplname:s tmplnamespace:o
pg_transform oid:o trftype:o trflang:o
pg_settings name:s setting:s unit:s category:s short_desc:s extra_desc:s context:s vartype:s source:s min_val:s max_val:s enumvals:S boot_val:s reset_val:s sourcefile:s sourceline:i pending_restart:b
pg_stat_activity datid:o datname:s pid:i leader_pid:i usesysid:o usename:s application_name:s client_addr:s client_hostname:s client_port:i backend_start:s xact_start:s query_start:s state_change:s wait_event_type:s wait_event:s state:s backend_xid:l backend_xmin:l query_id:l query:s backend_type:s
pg_stat_user_tables relid:o schemaname:s relname:s seq_scan:l seq_tup_read:l idx_scan:l idx_tup_fetch:l n_tup_ins:l n_tup_upd:l n_tup_del:l n_tup_hot_upd:l n_live_tup:l n_dead_tup:l
pg_stats schemaname:s tablename:s attname:s inherited:b null_frac:f avg_width:i n_distinct:f
pg_locks locktype:s database:o relation:o pid:i mode:s granted:b
pg_prepared_statements name:s statement:s
pg_cursors name:s statement:s
pg_timezone_names name:s abbrev:s utc_offset:s is_dst:b
pg_timezone_abbrevs abbrev:s utc_offset:s is_dst:b
pg_indexes schemaname:s tablename:s indexname:s tablespace:s indexdef:s
pg_matviews schemaname:s matviewname:s matviewowner:s tablespace:s hasindexes:b ispopulated:b definition:s
pg_sequences schemaname:s sequencename:s sequenceowner:s data_type:s start_value:l min_value:l max_value:l increment_by:l cycle:b cache_size:l last_value:l
pg_rules schemaname:s tablename:s rulename:s definition:s
pg_policies schemaname:s tablename:s policyname:s permissive:s roles:S cmd:s qual:s with_check:s
)";

const char* const kInformationTables = R"(
table_constraints constraint_catalog:s constraint_schema:s constraint_name:s table_catalog:s table_schema:s table_name:s constraint_type:s is_deferrable:s initially_deferred:s enforced:s nulls_distinct:s
key_column_usage constraint_catalog:s constraint_schema:s constraint_name:s table_catalog:s table_schema:s table_name:s column_name:s ordinal_position:i position_in_unique_constraint:i
referential_constraints constraint_catalog:s constraint_schema:s constraint_name:s unique_constraint_catalog:s unique_constraint_schema:s unique_constraint_name:s match_option:s update_rule:s delete_rule:s
constraint_column_usage table_catalog:s table_schema:s table_name:s column_name:s constraint_catalog:s constraint_schema:s constraint_name:s
constraint_table_usage table_catalog:s table_schema:s table_name:s constraint_catalog:s constraint_schema:s constraint_name:s
check_constraints constraint_catalog:s constraint_schema:s constraint_name:s check_clause:s
routines specific_catalog:s specific_schema:s specific_name:s routine_catalog:s routine_schema:s routine_name:s routine_type:s data_type:s type_udt_catalog:s type_udt_schema:s type_udt_name:s routine_body:s routine_definition:s external_language:s
parameters specific_catalog:s specific_schema:s specific_name:s ordinal_position:i parameter_mode:s parameter_name:s data_type:s
sequences sequence_catalog:s sequence_schema:s sequence_name:s data_type:s start_value:s minimum_value:s maximum_value:s increment:s cycle_option:s
triggers trigger_catalog:s trigger_schema:s trigger_name:s event_manipulation:s event_object_catalog:s event_object_schema:s event_object_table:s action_statement:s
element_types object_catalog:s object_schema:s object_name:s object_type:s collection_type_identifier:s data_type:s
)";

const char* const kFunctions = R"(
pg_get_userbyid(o) AS CASE WHEN o = 10 THEN 'discreet' ELSE 'unknown (OID=' || o || ')' END
pg_table_is_visible(o) AS true
pg_type_is_visible(o) AS true
pg_function_is_visible(o) AS true
pg_operator_is_visible(o) AS true
pg_collation_is_visible(o) AS true
pg_opclass_is_visible(o) AS true
pg_ts_config_is_visible(o) AS true
pg_statistics_obj_is_visible(o) AS true
pg_get_expr(a, b) AS CAST(NULL AS VARCHAR), (a, b, c) AS CAST(NULL AS VARCHAR)
pg_get_indexdef(a) AS CAST(NULL AS VARCHAR), (a, b, c) AS CAST(NULL AS VARCHAR)
pg_get_constraintdef(a) AS CAST(NULL AS VARCHAR), (a, b) AS CAST(NULL AS VARCHAR)
pg_get_triggerdef(a) AS CAST(NULL AS VARCHAR), (a, b) AS CAST(NULL AS VARCHAR)
pg_get_ruledef(a) AS CAST(NULL AS VARCHAR), (a, b) AS CAST(NULL AS VARCHAR)
pg_get_viewdef(a) AS (SELECT v.definition FROM pgc.view_texts v WHERE v.oid = a), (a, b) AS (SELECT v.definition FROM pgc.view_texts v WHERE v.oid = a)
pg_get_partkeydef(a) AS CAST(NULL AS VARCHAR)
pg_get_functiondef(a) AS CAST(NULL AS VARCHAR)
pg_get_function_result(a) AS CAST(NULL AS VARCHAR)
pg_get_function_arguments(a) AS CAST(NULL AS VARCHAR)
pg_get_function_identity_arguments(a) AS CAST(NULL AS VARCHAR)
pg_get_statisticsobjdef_columns(a) AS CAST(NULL AS VARCHAR)
pg_get_serial_sequence(a, b) AS CAST(NULL AS VARCHAR)
pg_sequence_last_value(a) AS CAST(NULL AS BIGINT)
pg_relation_is_publishable(a) AS false
pg_partition_ancestors(a) AS CAST(NULL AS UINTEGER)
pg_encoding_to_char(e) AS CASE WHEN e = 6 THEN 'UTF8' ELSE '' END
pg_char_to_encoding(e) AS CASE WHEN e = 'UTF8' THEN 6 ELSE -1 END
pg_tablespace_location(a) AS ''
pg_relation_size(a) AS CAST(0 AS BIGINT), (a, b) AS CAST(0 AS BIGINT)
pg_total_relation_size(a) AS CAST(0 AS BIGINT)
pg_table_size(a) AS CAST(0 AS BIGINT)
pg_indexes_size(a) AS CAST(0 AS BIGINT)
pg_database_size(a) AS CAST(0 AS BIGINT)
pg_tablespace_size(a) AS CAST(0 AS BIGINT)
pg_size_pretty(a) AS a || ' bytes'
pg_stat_get_numscans(a) AS CAST(0 AS BIGINT)
pg_is_in_recovery() AS false
pg_is_other_temp_schema(a) AS false
pg_my_temp_schema() AS CAST(0 AS UINTEGER)
pg_postmaster_start_time() AS TIMESTAMP '2026-01-01 00:00:00'
pg_conf_load_time() AS TIMESTAMP '2026-01-01 00:00:00'
pg_advisory_unlock_all() AS ''
pg_notification_queue_usage() AS 0.0
txid_current() AS CAST(0 AS BIGINT)
version() AS 'PostgreSQL 15.0 (discreet)'
current_database() AS 'discreet'
current_schema() AS 'public'
current_schemas(implicit) AS CASE WHEN implicit THEN ['pg_catalog', 'public'] ELSE ['public'] END
inet_server_addr() AS CAST(NULL AS VARCHAR)
inet_server_port() AS CAST(NULL AS INTEGER)
inet_client_addr() AS CAST(NULL AS VARCHAR)
inet_client_port() AS CAST(NULL AS INTEGER)
has_database_privilege(a, b) AS upper(b) IN ('CONNECT'), (u, a, b) AS upper(b) IN ('CONNECT')
has_schema_privilege(a, b) AS upper(b) IN ('USAGE'), (u, a, b) AS upper(b) IN ('USAGE')
has_table_privilege(a, b) AS contains(upper(b), 'SELECT'), (u, a, b) AS contains(upper(b), 'SELECT')
has_any_column_privilege(a, b) AS contains(upper(b), 'SELECT'), (u, a, b) AS contains(upper(b), 'SELECT')
has_column_privilege(a, b, c) AS contains(upper(c), 'SELECT'), (u, a, b, c) AS contains(upper(c), 'SELECT')
has_sequence_privilege(a, b) AS false, (u, a, b) AS false
has_function_privilege(a, b) AS false, (u, a, b) AS false
has_language_privilege(a, b) AS false, (u, a, b) AS false
has_tablespace_privilege(a, b) AS false, (u, a, b) AS false
has_foreign_data_wrapper_privilege(a, b) AS false, (u, a, b) AS false
has_server_privilege(a, b) AS false, (u, a, b) AS false
has_type_privilege(a, b) AS true, (u, a, b) AS true
pg_has_role(a, b) AS false, (u, a, b) AS false
row_security_active(a) AS false
obj_description(o) AS (SELECT d.description FROM pgc.pg_description d WHERE d.objoid = TRY_CAST(o AS UINTEGER) AND d.objsubid = 0), (o, c) AS (SELECT d.description FROM pgc.pg_description d WHERE d.objoid = TRY_CAST(o AS UINTEGER) AND d.objsubid = 0)
col_description(o, n) AS (SELECT d.description FROM pgc.pg_description d WHERE d.objoid = TRY_CAST(o AS UINTEGER) AND d.objsubid = n)
shobj_description(o, c) AS CAST(NULL AS VARCHAR)
format_type(t, m) AS (SELECT f.name FROM pgc.type_names f WHERE f.oid = t)
quote_ident(t) AS CASE WHEN regexp_full_match(t, '[a-z_][a-z0-9_]*') THEN t ELSE '"' || replace(t, '"', '""') || '"' END
quote_literal(t) AS '''' || replace(t, '''', '''''') || ''''
to_regclass(t) AS pgc.regclass_of(t)
to_regtype(t) AS pgc.regtype_of(t)
pg_typeof(a) AS lower(typeof(a))
array_to_string(a, s) AS array_to_string(a, s), (a, s, n) AS array_to_string(a, s)
array_upper(a, d) AS CAST(len(a) AS INTEGER)
array_lower(a, d) AS 1
array_length(a, d) AS CAST(len(a) AS INTEGER)
cardinality(a) AS CAST(len(a) AS INTEGER)
_pg_expandarray(a) AS {'x': 0, 'n': 0}
_pg_char_max_length(a, b) AS CAST(NULL AS INTEGER)
_pg_numeric_precision(a, b) AS CAST(NULL AS INTEGER)
_pg_numeric_scale(a, b) AS CAST(NULL AS INTEGER)
_pg_datetime_precision(a, b) AS CAST(NULL AS INTEGER)
_pg_truetypid(a, b) AS a.atttypid
_pg_truetypmod(a, b) AS a.atttypmod
pg_get_keywords() AS TABLE SELECT CAST(word AS VARCHAR) AS word, 'R' AS catcode FROM (VALUES ('select'), ('from'), ('where'), ('group'), ('having'), ('order'), ('limit')) AS k(word)
pg_options_to_table(a) AS TABLE SELECT CAST(NULL AS VARCHAR) AS option_name, CAST(NULL AS VARCHAR) AS option_value WHERE false
aclexplode(a) AS TABLE SELECT CAST(NULL AS UINTEGER) AS grantor, CAST(NULL AS UINTEGER) AS grantee, CAST(NULL AS VARCHAR) AS privilege_type, false AS is_grantable WHERE false
)";

}  // namespace discreet::server::pgcatalog
