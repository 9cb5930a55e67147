/** Pictures of the pages of a PDF file, drawn by a worker that is loaded with the first one. */
import { limits } from "../limits.ts";
import { workerAddress } from "../parts/worker-address.ts";

export interface PdfOrder {
	/** Read by the worker: its bytes are never in the page. */
	readonly file: Blob;
	readonly pages: number;
	/** Of each picture, in pixels. */
	readonly width: number;
}

export type PdfPart =
	| { readonly total: number }
	| { readonly page: Blob }
	| { readonly isDone: true }
	| { readonly problem: string };

interface PdfPages {
	/** PNG. Fewer than asked for if the time was over. */
	readonly pages: readonly Blob[];
	/** Of the whole file. */
	readonly total: number;
}

export function isPdf({ type, name }: File): boolean {
	return type === "application/pdf" || name.toLowerCase().endsWith(".pdf");
}

/** Rejects with the reason if no page can be drawn. */
export async function pdfPages(order: PdfOrder, closed: AbortSignal): Promise<PdfPages> {
	closed.throwIfAborted();
	const worker = new Worker(workerAddress("/pdf-worker.js"), { type: "module" });
	const { promise, resolve, reject } = Promise.withResolvers<void>();
	const pages: Blob[] = [];
	let total = 0;
	worker.addEventListener("message", ({ data }: MessageEvent<PdfPart>) => {
		if ("total" in data) total = data.total;
		else if ("page" in data) pages.push(data.page);
		else if ("problem" in data) reject(new Error(data.problem));
		else resolve();
	});
	worker.addEventListener("error", () => reject(new Error("The pages cannot be drawn.")));
	const ended = AbortSignal.any([closed, AbortSignal.timeout(limits.previewMs)]);
	const onEnd = (): void => reject(new Error("Drawing the pages took too long."));
	ended.addEventListener("abort", onEnd);
	try {
		worker.postMessage(order);
		await promise;
	} catch (error) {
		if (pages.length === 0) throw error;
	} finally {
		ended.removeEventListener("abort", onEnd);
		worker.terminate();
	}
	return { pages, total };
}
