/** A directory with files, and a short way to read them, for tests. */
import { mkdirSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";

import type { AgentToolResult } from "@tau/agent";

import { builtinTool } from "@tau/integrations/builtin";
import type { ToolEnv } from "@tau/tools/tool";

export interface ReadFixture<P extends ToolEnv & AsyncDisposable> extends AsyncDisposable {
	readonly env: P;
	/** Returns the path of a file, existing or not. */
	at(path: string): string;
	put(path: string, content: string | Uint8Array): string;
	read(path: string, more?: { offset?: number; limit?: number }): Promise<Read>;
}

export interface Read extends AgentToolResult<Record<string, unknown>> {
	text: string;
}

/** The files are removed when `env` is disposed. */
export function readFixture<P extends ToolEnv & AsyncDisposable>(env: P): ReadFixture<P> {
	const at = (path: string): string => join(env.cwd, path);
	return {
		env,
		at,
		put(path, content) {
			mkdirSync(dirname(at(path)), { recursive: true });
			writeFileSync(at(path), content);
			return at(path);
		},
		async read(path, more = {}) {
			const tool = builtinTool("read")?.bind(env);
			if (!tool) throw new Error("There is no tool read.");
			const valid = tool.validate({ path, ...more });
			if (!valid.ok) return { content: [], isError: true, text: valid.reason };
			const result = await tool.execute("call-1", valid.value, new AbortController().signal, () => {});
			const texts = result.content.map((part) => (part.type === "text" ? part.text : `[${part.type}]`));
			return { ...result, details: { ...(result.details as object | undefined) }, text: texts.join("\n") };
		},
		[Symbol.asyncDispose]: () => env[Symbol.asyncDispose](),
	};
}

/** A PDF with one line per page, from the format's description; readers find the objects without a table. */
export function pdf(pages: readonly string[]): Uint8Array {
	const objects = ["<< /Type /Catalog /Pages 2 0 R >>"];
	const numbers = pages.map((_, index) => 4 + index * 2);
	const kids = numbers.map((number) => `${number} 0 R`).join(" ");
	objects.push(`<< /Type /Pages /Kids [${kids}] /Count ${pages.length} >>`);
	objects.push("<< /Type /Font /Subtype /Type1 /BaseFont /Helvetica >>");
	for (const [index, text] of pages.entries()) {
		const stream = `BT /F1 12 Tf 72 700 Td (${text}) Tj ET`;
		const resources = "/Resources << /Font << /F1 3 0 R >> >>";
		objects.push(
			`<< /Type /Page /Parent 2 0 R /MediaBox [0 0 612 792] ${resources} /Contents ${5 + index * 2} 0 R >>`,
			`<< /Length ${stream.length} >>\nstream\n${stream}\nendstream`,
		);
	}
	let body = "%PDF-1.4\n";
	const starts = objects.map((object, index) => {
		const start = body.length;
		body += `${index + 1} 0 obj\n${object}\nendobj\n`;
		return start;
	});
	const table = starts.map((start) => `${String(start).padStart(10, "0")} 00000 n \n`).join("");
	const size = objects.length + 1;
	const trailer = `trailer\n<< /Size ${size} /Root 1 0 R >>\nstartxref\n${body.length}\n%%EOF\n`;
	return Buffer.from(`${body}xref\n0 ${size}\n0000000000 65535 f \n${table}${trailer}`, "latin1");
}

/** A gray image. */
export async function png(width: number, height: number): Promise<Uint8Array> {
	const stride = (width * 3 + 3) & ~3;
	const bitmap = Buffer.alloc(54 + stride * height, 0x80);
	bitmap.fill(0, 0, 54);
	bitmap.write("BM");
	bitmap.writeUInt32LE(bitmap.length, 2);
	bitmap.writeUInt32LE(54, 10);
	bitmap.writeUInt32LE(40, 14);
	bitmap.writeInt32LE(width, 18);
	bitmap.writeInt32LE(height, 22);
	bitmap.writeUInt16LE(1, 26);
	bitmap.writeUInt16LE(24, 28);
	return new Bun.Image(bitmap).png().bytes();
}
