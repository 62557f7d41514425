/** SQL for the JSON push that the rows of import `i` come from; null for files, and for corrections that do not record it. */
const pushSql = (i: string): string =>
  `coalesce(${i}.corrects #>> '{push,importId}', case when ${i}.source = 'data' and ${i}.corrects is null then ${i}.import_id::text end)`;

/** SQL for whether the import at this position wrote the shipment of row `r` from a later element of the push. */
const hasLaterElementSql = (organisationId: string, position: string, elementSql: string): string => `
  exists (select from shipment_versions v where v.organisation_id = ${organisationId} and v.shipment_id = r.handle
             and v.import_position = ${position} and ${elementSql} > coalesce(r.element, r."row"))`;

/** SQL for the first row of version `v` in its import, counted from 1: an import's first row has revision 2. */
const firstRowSql = "v.revisions[1] - 1";

/**
 * SQL for the import that has superseded row `r` of the table `rejections`, a line of a shipment; null where none has. That is an import
 * that was pushed later and has written the shipment. Among elements of one JSON push, and their corrections, the later element supersedes
 * the earlier, whichever was corrected first.
 */
export const supersedingImportSql = (organisationId: string): string => `
  case when r.element is not null then ${supersedingAmongSql(organisationId, "true")}
       else (select s.import_id from shipments s where s.organisation_id = ${organisationId} and s.shipment_id = r.handle
                and (s.import_position > r.import_position
                     or s.import_position = r.import_position and ${hasLaterElementSql(organisationId, "s.import_position", firstRowSql)})) end`;

/** `supersedingImportSql` that considers only the versions `s` of the shipment for which `conditionSql` holds. */
export const supersedingAmongSql = (organisationId: string, conditionSql: string): string => `
  (select s.import_id from imports own
    cross join lateral (
      select import_position, import_id, shipment_id from shipments where organisation_id = ${organisationId} and shipment_id = r.handle
       union all
      select import_position, import_id, shipment_id from hidden_shipments
       where organisation_id = ${organisationId} and shipment_id = r.handle) as s
     left join imports i on i.import_id = s.import_id
    where own.position = r.import_position and s.import_position >= r.import_position and ${conditionSql}
      and case when ${pushSql("i")} = ${pushSql("own")}
               then ${hasLaterElementSql(organisationId, "s.import_position", `coalesce((i.corrects #> '{push,elements}' ->> (v.revisions[1] - 2))::integer, ${firstRowSql})`)}
               else s.import_position > r.import_position end
    order by s.import_position desc limit 1)`;
