/** The data of a chart in a presentation or a document, as a table. */
import { limits } from "../limits.ts";
import { markdownTable } from "./parts.ts";
import { at, attribute, childElements, childrenNamed, descendants, textOf, type XmlElement } from "./xml.ts";

/** Charts carry a copy of the cells that they show. */
export function chartText(root: XmlElement | undefined): string {
	const chart = at(root, "chart");
	const title = descendants(at(chart, "title"), "t").map(textOf).join("").trim();
	const kinds = childElements(at(chart, "plotArea") ?? emptyElement).filter(
		({ name }) => name.endsWith("Chart") || name.endsWith("Chart3D"),
	);
	const series = kinds.flatMap((kind) => childrenNamed(kind, "ser"));
	const name = title === "" ? "[chart]" : `[chart: ${title}]`;
	if (series.length === 0) return name;
	const labels = points(at(series[0], "cat") ?? at(series[0], "xVal"));
	const columns = series.map((one) => ({
		name: points(at(one, "tx"))[0] ?? "",
		values: points(at(one, "val") ?? at(one, "yVal")),
	}));
	const count = Math.max(labels.length, ...columns.map(({ values }) => values.length));
	const shown = Math.min(count, limits.documentChartRows);
	const rows = Array.from({ length: shown }, (_, index) => [
		labels[index] ?? "",
		...columns.map(({ values }) => values[index] ?? ""),
	]);
	const left = count > shown ? `\n[${count - shown} more rows of the chart are left out.]` : "";
	return `${name}\n\n${markdownTable([["", ...columns.map((column) => column.name)], ...rows])}${left}`;
}

const emptyElement = { name: "", attributes: {}, children: [] } as unknown as XmlElement;

/** The cached values of a reference, at their positions: points without a value are missing. */
function points(reference: XmlElement | undefined): string[] {
	const values: string[] = [];
	for (const point of descendants(reference, "pt")) {
		const index = Number(attribute(point, "idx") ?? values.length);
		if (Number.isInteger(index) && index >= 0 && index < limits.documentCells) {
			while (values.length < index) values.push("");
			values[index] = textOf(at(point, "v"));
		}
	}
	return values;
}
