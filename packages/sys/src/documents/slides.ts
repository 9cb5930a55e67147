/** The text of a PowerPoint presentation, slide by slide, with tables and the speaker's notes. */
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
		const slide = shapes(await office.xml(path));
		const notes = await notesOf(office, path);
		return [...slide, ...(notes === "" ? [] : [`Notes: ${notes}`])].join("\n\n");
	});
}

async function notesOf(office: OfficePackage, slide: string): Promise<string> {
	const relations = await office.relations(slide);
	const path = [...relations.values()].find(({ type }) => type.endsWith("/notesSlide"))?.target;
	if (path === undefined) return "";
	const bodies = descendants(await office.xml(path), "sp").filter((shape) => placeholder(shape) === "body");
	return bodies.map(shapeText).join("\n").trim();
}

function shapes(slide: XmlElement | undefined): string[] {
	if (!slide) return [];
	return childElements(slide)
		.flatMap((child) => {
			const name = localName(child);
			if (name === "sp") return [titled(child)];
			if (name === "tbl") return [markdownTable(tableRows(child))];
			return name === "Fallback" ? [] : shapes(child);
		})
		.filter((text) => text !== "");
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
