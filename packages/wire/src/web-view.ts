/** What extensions draw for pages: data, which the page draws by itself. No code of it runs in the page's origin. */
import { once } from "@tau/utils";
import { z } from "zod";

import { list } from "./schema.ts";

export const webViewLimits = {
	/** Parts of one drawing: more is a document, which is one part of HTML. */
	parts: 50,
	/** Rows and columns of a table that a reader takes in; the whole table is a file. */
	rows: 500,
	columns: 60,
	/** The height of a frame, in pixels of the page. */
	leastHeight: 40,
	mostHeight: 1200,
	/** All texts and pictures of one drawing together: every page that shows the session gets it. */
	chars: 1024 * 1024,
} as const;

const webPart = once(() =>
	z.discriminatedUnion("type", [
		z.object({ type: z.literal("markdown"), text: z.string() }),
		z.object({
			type: z.literal("table"),
			head: z.array(z.string()).max(webViewLimits.columns),
			rows: z.array(z.array(z.string()).max(webViewLimits.columns)).max(webViewLimits.rows),
		}),
		z.object({
			type: z.literal("facts"),
			facts: z.array(z.object({ name: z.string(), value: z.string() })).max(webViewLimits.rows),
		}),
		z.object({
			type: z.literal("image"),
			/** Base64. */
			data: z.base64(),
			mimeType: z.enum(["image/png", "image/jpeg", "image/gif", "image/webp"]),
			alt: z.string().exactOptional(),
		}),
		/** A page with its own scripts and styles, in a frame that reaches neither the page nor the network. */
		z.object({
			type: z.literal("html"),
			html: z.string(),
			title: z.string().exactOptional(),
			height: z.int().min(webViewLimits.leastHeight).max(webViewLimits.mostHeight).exactOptional(),
		}),
	]),
);
export type WebPart = z.infer<ReturnType<typeof webPart>>;

export const webParts = once(() => z.array(webPart()).max(webViewLimits.parts));

/** The parts, or why there are none: the page then shows what it would show without the extension. */
export const webDrawing = once(() =>
	z.object({ parts: list(webPart()).exactOptional(), problem: z.string().exactOptional() }),
);
export type WebDrawing = z.infer<ReturnType<typeof webDrawing>>;
