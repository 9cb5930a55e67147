/** Files that were made to hang their reader. */
import { deflateSync } from "node:zlib";

import { strToU8, zipSync } from "fflate";

/** A PDF whose page has so many drawing operators that reading it takes longer than anyone would wait. */
export function endlessPdf(): Buffer {
	const content = deflateSync(Buffer.alloc(128 * 1024 * 1024, "q Q "), { level: 1 });
	const objects = [
		"<< /Type /Catalog /Pages 2 0 R >>",
		"<< /Type /Pages /Kids [3 0 R] /Count 1 >>",
		"<< /Type /Page /Parent 2 0 R /MediaBox [0 0 612 792] /Contents 4 0 R >>",
		`<< /Filter /FlateDecode /Length ${content.length} >>\nstream\n${content.toString("latin1")}\nendstream`,
	];
	const body = objects.map((object, index) => `${index + 1} 0 obj\n${object}\nendobj\n`).join("");
	return Buffer.from(`%PDF-1.4\n${body}trailer << /Size 5 /Root 1 0 R >>\n%%EOF\n`, "latin1");
}

export function zipOf(entries: Readonly<Record<string, string>>): Uint8Array {
	return zipSync(Object.fromEntries(Object.entries(entries).map(([path, text]) => [path, strToU8(text)])));
}
