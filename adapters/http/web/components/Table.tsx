import type { ComponentChildren } from "preact"

export interface Column<A> {
  readonly head: ComponentChildren
  readonly cell: (row: A) => ComponentChildren
  /** Place in a narrow window, where a row becomes a small grid: `f-start`, `f-end`, `f-hide`, … */
  readonly fold?: string
  /** Label of the cell in a narrow window. */
  readonly label?: string
}

/** A table that folds in narrow windows; the roles keep it a table for screen readers. */
export const Table = <A,>({
  caption,
  columns,
  idOf,
  rows
}: {
  readonly caption: string
  readonly columns: ReadonlyArray<Column<A>>
  readonly rows: ReadonlyArray<A>
  readonly idOf: (row: A) => string
}) => (
  <div class="table-wrap">
    <table class="table fold" role="table">
      <caption class="vh">{caption}</caption>
      <thead role="rowgroup">
        <tr role="row">
          {columns.map(({ fold = "", head }) => (
            <th role="columnheader" scope="col" {...(fold.includes("right") && { class: "right" })}>
              {head}
            </th>
          ))}
        </tr>
      </thead>
      <tbody role="rowgroup">
        {rows.map((row) => (
          <tr role="row" id={idOf(row)}>
            {columns.map(({ cell, fold, label }) => (
              <td role="cell" {...(fold && { class: fold })} {...(label && { "data-l": label })}>
                {cell(row)}
              </td>
            ))}
          </tr>
        ))}
      </tbody>
    </table>
  </div>
)
