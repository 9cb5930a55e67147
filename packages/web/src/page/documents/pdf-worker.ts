/** Draws pages of a PDF file, away from the page: a large or hostile file costs the page nothing and can be ended. */
import { getDocument } from "unpdf/pdfjs";

import type { PdfOrder, PdfPart } from "./pdf-pages.ts";

/** What the library draws on: a worker has no document to make elements of. */
class OffscreenFactory {
	create(width: number, height: number): { canvas: OffscreenCanvas | null; context: unknown } {
		const canvas = new OffscreenCanvas(Math.max(1, width), Math.max(1, height));
		return { canvas, context: canvas.getContext("2d", { willReadFrequently: true }) };
	}
	reset({ canvas }: { canvas: OffscreenCanvas | null }, width: number, height: number): void {
		if (canvas) Object.assign(canvas, { width: Math.max(1, width), height: Math.max(1, height) });
	}
	destroy(made: { canvas: OffscreenCanvas | null; context: unknown }): void {
		Object.assign(made, { canvas: null, context: null });
	}
}

/** Filters are elements of a document too; colors without them are close enough for a preview. */
class NoFilters {
	addFilter = (): string => "none";
	addHCMFilter = (): string => "none";
	addAlphaFilter = (): string => "none";
	addLuminosityFilter = (): string => "none";
	addHighlightHCMFilter = (): string => "none";
	destroy(): void {}
}

const send = (part: PdfPart): void => postMessage(part);

async function draw({ file, pages, width }: PdfOrder): Promise<void> {
	const pdf = await getDocument({
		data: new Uint8Array(await file.arrayBuffer()),
		CanvasFactory: OffscreenFactory,
		FilterFactory: NoFilters,
		disableFontFace: true,
		useSystemFonts: false,
		useWorkerFetch: false,
		isEvalSupported: false,
		verbosity: 0,
	}).promise;
	send({ total: pdf.numPages });
	for (let number = 1; number <= Math.min(pages, pdf.numPages); number++) {
		const page = await pdf.getPage(number);
		const whole = page.getViewport({ scale: 1 });
		// A page may be as wide as a house or as high as a tower.
		const scale = Math.min(width / whole.width, (width * 2) / whole.height);
		const viewport = page.getViewport({ scale });
		const canvas = new OffscreenCanvas(
			Math.max(1, Math.round(viewport.width)),
			Math.max(1, Math.round(viewport.height)),
		);
		// The library takes every context of a canvas, but is described for elements alone.
		const canvasContext = canvas.getContext("2d") as unknown as CanvasRenderingContext2D;
		await page.render({ canvas: null, canvasContext, viewport, background: "white" }).promise;
		send({ page: await canvas.convertToBlob({ type: "image/png" }) });
		page.cleanup();
	}
	send({ isDone: true });
}

addEventListener("message", ({ data }: MessageEvent<PdfOrder>) => {
	draw(data).catch((error: unknown) =>
		send({ problem: error instanceof Error ? error.message : String(error) }),
	);
});
