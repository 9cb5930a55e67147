/** The text of an EPUB book, chapter by chapter, as Markdown. */
import { posix } from "node:path";
import { convert } from "../html/convert.ts";
import { DocumentError, type DocumentOptions, type DocumentText } from "./document.ts";
import type { OfficePackage } from "./office-package.ts";
import { readParts } from "./parts.ts";
import { at, attribute, childrenNamed, descendants } from "./xml.ts";

export async function readEpub(book: OfficePackage, options: DocumentOptions): Promise<DocumentText> {
	if (book.has("META-INF/encryption.xml") && book.has("META-INF/rights.xml")) {
		throw new DocumentError("encrypted", "The book is DRM-protected.");
	}
	const container = await book.xml("META-INF/container.xml");
	const [file] = descendants(container, "rootfile");
	const root = attribute(file, "full-path") ?? "";
	const contents = await book.xml(root);
	if (!contents) throw new DocumentError("damaged", "The book is damaged: it has no table of contents.");
	const paths = new Map(
		childrenNamed(at(contents, "manifest"), "item").map((item) => [
			attribute(item, "id"),
			posix.join(posix.dirname(root), decodePath(attribute(item, "href") ?? "")),
		]),
	);
	const chapters = childrenNamed(at(contents, "spine"), "itemref").flatMap(
		(item) => paths.get(attribute(item, "idref")) ?? [],
	);
	return readParts(chapters.length, "Chapter", options, async (index) => {
		const page = await book.text(chapters[index] ?? "");
		return page === undefined ? "" : (await convert(page, { skipImages: true })).markdown;
	});
}

function decodePath(href: string): string {
	try {
		return decodeURIComponent(href);
	} catch {
		// A stray % is part of the name.
		return href;
	}
}
