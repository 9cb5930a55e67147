/** The text of a PowerPoint presentation, slide by slide, with tables, charts, alternative texts and the speaker's notes. */
import { chartText } from "./chart.ts";
import { DocumentError, type DocumentOptions, type DocumentText } from "./document.ts";
import type { OfficePackage } from "./office-package.ts";
import { markdownTable, readParts } from "./parts.ts";
import {
	at,
	attribute,
	childElements,
	childrenNamed,
	descendants,
	localName,
	textOf,
	type XmlElement,
} from "./xml.ts";

const presentationPath = "ppt/presentation.xml";

export async function readSlides(office: OfficePackage, options: DocumentOptions): Promise<DocumentText> {
	const root = await office.xml(presentationPath);
	if (!root) throw new DocumentError("damaged", "The document is damaged: it has no presentation.");
	const relations = await office.relations(presentationPath);
	// The order of the list is the order of presentation; the numbers in the part names are not. Each entry has its
	// own number as "id" and the relation as "r:id".
	const paths = childrenNamed(at(root, "sldIdLst"), "sldId").map((entry) => {
		const id = Object.entries(entry.attributes).find(([key]) => key.endsWith(":id"))?.[1] ?? "";
		return relations.get(id)?.target ?? "";
	});
	return readParts(paths.length, "Slide", options, async (index) => {
		const path = paths[index] ?? "";
		const inSlide = await office.relations(path);
		const slide = await withCharts(office, inSlide, shapes(await office.xml(path)));
		const notes = await notesOf(office, inSlide);
		return [...slide, ...(notes === "" ? [] : [`Notes: ${notes}`])].join("\n\n");
	});
}

type Relations = Awaited<ReturnType<OfficePackage["relations"]>>;

async function notesOf(office: OfficePackage, relations: Relations): Promise<string> {
	const path = [...relations.values()].find(({ type }) => type.endsWith("/notesSlide"))?.target;
	if (path === undefined) return "";
	const bodies = descendants(await office.xml(path), "sp").filter((shape) => placeholder(shape) === "body");
	return bodies.map(shapeText).join("\n").trim();
}

/** The content of a slide: text, or a chart in a separate part. */
type Shown = string | { chart: string; description: string };

async function withCharts(
	office: OfficePackage,
	relations: Relations,
	shown: readonly Shown[],
): Promise<string[]> {
	const texts: string[] = [];
	for (const one of shown) {
		if (typeof one === "string") texts.push(one);
		else {
			const target = relations.get(one.chart)?.target;
			const chart = chartText(target === undefined ? undefined : await office.xml(target));
			texts.push(one.description === "" ? chart : `${one.description}\n\n${chart}`);
		}
	}
	return texts.filter((text) => text !== "");
}

function shapes(slide: XmlElement | undefined): Shown[] {
	if (!slide) return [];
	return childElements(slide).flatMap((child): Shown[] => {
		const name = localName(child);
		if (name === "sp") return [titled(child), description(child, "nvSpPr")];
		if (name === "pic") return [description(child, "nvPicPr") || "[image]"];
		if (name === "tbl") return [markdownTable(tableRows(child))];
		if (name === "graphicFrame") return frame(child);
		return name === "Fallback" ? [] : shapes(child);
	});
}

/** A table, a chart or a diagram, of which only the first two are read. */
function frame(element: XmlElement): Shown[] {
	const about = description(element, "nvGraphicFramePr");
	const data = at(element, "graphic", "graphicData");
	const chart = at(data, "chart");
	if (chart) return [{ chart: attribute(chart, "id") ?? "", description: about }];
	const inner = shapes(data);
	if (inner.length > 0) return about === "" ? inner : [about, ...inner];
	return [about || `[${(attribute(data, "uri") ?? "").split("/").at(-1) || "object"}]`];
}

/** The alternative text of a shape. */
function description(shape: XmlElement, properties: string): string {
	const text = (attribute(at(shape, properties, "cNvPr"), "descr") ?? "").replace(/\s+/g, " ").trim();
	return text === "" ? "" : `[image: ${text}]`;
}

function titled(shape: XmlElement): string {
	const text = shapeText(shape).trim();
	const kind = placeholder(shape);
	if (kind === "sldNum" || kind === "dt" || kind === "ftr") return "";
	return (kind === "title" || kind === "ctrTitle") && text !== "" ? `# ${text.replace(/\s+/g, " ")}` : text;
}

function placeholder(shape: XmlElement): string | undefined {
	return attribute(at(shape, "nvSpPr", "nvPr", "ph"), "type");
}

function shapeText(shape: XmlElement): string {
	return childrenNamed(at(shape, "txBody"), "p").map(paragraphText).join("\n");
}

function paragraphText(paragraph: XmlElement): string {
	const level = Number(attribute(at(paragraph, "pPr"), "lvl") ?? 0) || 0;
	const text = childElements(paragraph)
		.map((child) => (localName(child) === "br" ? "\n" : textOf(at(child, "t"))))
		.join("");
	return text === "" ? "" : `${"  ".repeat(Math.min(8, level))}${text}`;
}

function tableRows(table: XmlElement): string[][] {
	return childrenNamed(table, "tr").map((row) =>
		childrenNamed(row, "tc").map((cell) =>
			childrenNamed(at(cell, "txBody"), "p").map(paragraphText).join(" "),
		),
	);
}
