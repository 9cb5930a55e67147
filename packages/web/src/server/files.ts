/** Serves the files of the page: compressed where the browser takes it, and not at all where it has them already. */
import { answer } from "./http.ts";

/** A file of the page, with the headers that it has to be served with. */
export interface PageFile {
	readonly type: string;
	readonly headers: Readonly<Record<string, string>>;
	brotli(): Promise<Uint8Array<ArrayBuffer>>;
	body(): Promise<Uint8Array<ArrayBuffer>>;
}

export type PageFiles = () => Promise<ReadonlyMap<string, PageFile>>;

/** Undefined where there is no such file. */
export async function serveFile(
	request: Request,
	path: string,
	files: PageFiles,
): Promise<Response | undefined> {
	const file = (await files()).get(path);
	if (!file) return undefined;
	const packed = await file.brotli();
	const etag = `"${Bun.hash(packed).toString(36)}"`;
	const headers = { ...file.headers, "content-type": file.type, etag, vary: "accept-encoding" };
	if (request.headers.get("if-none-match") === etag) return answer(null, { status: 304, headers });
	const isPacked = /\bbr\b/.test(request.headers.get("accept-encoding") ?? "");
	const body = isPacked ? packed : await file.body();
	const encoding = isPacked ? { "content-encoding": "br" } : {};
	return answer(request.method === "HEAD" ? null : body, { headers: { ...headers, ...encoding } });
}
