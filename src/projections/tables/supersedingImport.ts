/** SQL for the JSON push that the rows of import `i` go back to; null for files, and for corrections that do not say. */
const pushSql = (i: string): string =>
  `coalesce(${i}.corrects #>> '{push,importId}', case when ${i}.source = 'data' and ${i}.corrects is null then ${i}.import_id::text end)`;

/** SQL for the element of that push which version `v` of a shipment goes back to. An import's first row has revision 2. */
const elementSql = (i: string): string =>
  `coalesce((${i}.corrects #> '{push,elements}' ->> (v.revisions[1] - 2))::integer, v.revisions[1] - 1)`;

/**
 * SQL for the import that has superseded row `r` of the table `rejections`, a line of a shipment; null where none has. That is an import that
 * was pushed later and has written the shipment. Among elements of one JSON push, and their corrections, the later element supersedes the
 * earlier, whichever was corrected first. `remains`: a condition on a version `s` that may be superseding.
 */
export const supersedingImportSql = (organisationId: string, remains = "true"): string => `
  (select s.import_id from shipments top
     left join imports own on own.position = r.import_position
    cross join lateral (
      select top.import_position, top.import_id, top.shipment_id
       union all
      select h.import_position, h.import_id, h.shipment_id from hidden_shipments h
       where h.organisation_id = ${organisationId} and h.shipment_id = r.handle and h.import_position >= r.import_position) as s
     left join imports i on i.import_id = s.import_id
    where top.organisation_id = ${organisationId} and top.shipment_id = r.handle and top.import_position >= r.import_position and ${remains}
      and case when ${pushSql("i")} = ${pushSql("own")}
               then (select max(${elementSql("i")}) from shipment_versions v
                      where v.organisation_id = ${organisationId} and v.shipment_id = r.handle and v.import_position = s.import_position)
                    > coalesce(r.element, r."row")
               else s.import_position > r.import_position end
    order by s.import_position desc limit 1)`;
