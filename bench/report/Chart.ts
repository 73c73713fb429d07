import { type Figure, type Rival, rivals } from "./Figures.ts"
import { digits } from "./Table.ts"
import { targets } from "../Targets.ts"

const ratioOf = { ordinary: "ratioFastify", named: "ratioNamed", limit: "ratioLimit" } as const

const size = { width: 1000, height: 420, left: 56, right: 24, top: 64, bottom: 56 }
const bar = 26

/** A step up is twice as fast, anywhere on the axis. */
const scale = (figures: ReadonlyArray<Figure>) => {
  const all = figures.flatMap((figure) => rivals.map((rival) => Math.log2(figure[ratioOf[rival]])))
  const low = Math.floor(Math.min(-1, ...all))
  const high = Math.ceil(Math.max(2, ...all))
  const height = size.height - size.top - size.bottom
  const y = (ratio: number) => size.top + ((high - Math.log2(ratio)) / (high - low)) * height
  const ticks = Array.from({ length: high - low + 1 }, (_, index) => 2 ** (low + index))
  return { y, ticks }
}

const style = `
    .page { fill: #fbfaf7; stroke: #d5d2c8 }
    .grid { stroke: #e2dfd6 }
    .one { stroke: #4a5566; stroke-width: 2 }
    .ordinary { fill: #3f76b5 }
    .named { fill: #86abd6 }
    .limit { fill: #c9a45c }
    .target { stroke: #a3341f; stroke-width: 3 }
    text { font-family: system-ui, -apple-system, "Segoe UI", "DejaVu Sans", sans-serif; font-size: 13px; fill: #1c2430 }
    .name { font-weight: 600 }
    .soft { fill: #5b6470; font-size: 11px }
    @media (prefers-color-scheme: dark) {
      .page { fill: #16191e; stroke: #343a44 }
      .grid { stroke: #2c323b }
      .one { stroke: #b6bdc8 }
      .ordinary { fill: #6f9fd8 }
      .named { fill: #41658f }
      .limit { fill: #b8944e }
      .target { stroke: #f0937e }
      text { fill: #e6e4de }
      .soft { fill: #a4abb6 }
    }`

const legend = rivals.map((rival, index) => {
  const x = size.left + 8 + index * 150
  return `<rect class="${rival}" x="${x}" y="26" width="14" height="14" rx="2" /><text x="${x + 20}" y="38">against ${rival}</text>`
})

/** Bars from 1 upwards where we are faster, downwards where we are slower; a mark at the target. */
export const chart = (figures: ReadonlyArray<Figure>): string => {
  const { ticks, y } = scale(figures)
  const room = (size.width - size.left - size.right) / figures.length
  const inner = size.width - size.right
  const bars = (figure: Figure, start: number) =>
    rivals.flatMap((rival: Rival, index) => {
      const ratio = figure[ratioOf[rival]]
      const target = targets[figure.work][ratioOf[rival]]
      const x = start + (room - rivals.length * bar) / 2 + index * bar
      const [top, bottom] = [Math.min(y(ratio), y(1)), Math.max(y(ratio), y(1))]
      const label = ratio >= 1 ? top - 5 : bottom + 13
      return [
        `<rect class="${rival}" x="${(x + 2).toFixed(1)}" y="${top.toFixed(1)}" width="${bar - 4}" height="${Math.max(1, bottom - top).toFixed(1)}" />`,
        `<text class="soft" x="${(x + bar / 2).toFixed(1)}" y="${label.toFixed(1)}" text-anchor="middle">${digits(ratio)}</text>`,
        ...(target === undefined
          ? []
          : [`<path class="target" d="M${x.toFixed(1)} ${y(target).toFixed(1)} h${bar}" />`])
      ]
    })
  const marks = size.left + 8 + rivals.length * 150
  const lines = [
    `<rect class="page" x="1" y="1" width="${size.width - 2}" height="${size.height - 2}" rx="14" />`,
    ...legend,
    `<path class="target" d="M${marks} 33 h22" /><text x="${marks + 30}" y="38">target, at least</text>`,
    ...ticks.flatMap((tick) => [
      `<path class="${tick === 1 ? "one" : "grid"}" d="M${size.left} ${y(tick).toFixed(1)} H${inner}" />`,
      `<text class="soft" x="${size.left - 8}" y="${(y(tick) + 4).toFixed(1)}" text-anchor="end">${tick} ×</text>`
    ]),
    ...figures.flatMap((figure, index) => {
      const start = size.left + index * room
      const name = `<text class="name" x="${(start + room / 2).toFixed(1)}" y="${size.height - 22}" text-anchor="middle">${figure.work}</text>`
      return [...bars(figure, start), name]
    })
  ]
  return [
    `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 ${size.width} ${size.height}" role="img" aria-labelledby="title desc">`,
    `  <title id="title">How many times as fast as each Fastify service</title>`,
    `  <desc id="desc">${figures.map((figure) => `${figure.work}: ${rivals.map((rival) => `${digits(figure[ratioOf[rival]])} times ${rival}`).join(", ")}`).join("; ")}.</desc>`,
    `  <style>${style}`,
    "  </style>",
    ...lines.map((line) => `  ${line}`),
    "</svg>",
    ""
  ].join("\n")
}
