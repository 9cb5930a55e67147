/** Takes a page along: as an image, as a PDF, as a file that it offers. */
import type { AgentToolResult } from "@tau/agent";
import { fitImage } from "@tau/sys";
import type { Protocol } from "puppeteer-core/internal/puppeteer-core-browser.js";

import { humanSize } from "@tau/tools/read";
import { errorResult, textResult, type ToolContext } from "@tau/tools/tool";
import { limits } from "../limits.ts";
import { handleInFrame, inFrame, onElement } from "../page/in-page.ts";
import type { Tab } from "../page/tab.ts";
import { click, needed } from "./act.ts";
import { elementOf } from "./element.ts";
import { secondsOf, settled, type Step } from "./step.ts";

export async function screenshot({ session, args, context }: Step): Promise<AgentToolResult> {
	const tab = await session.tab(args.tab, context.signal);
	if (tab.dialog) throw new Error("The page waits for an answer to its dialog. Use dialog first.");
	const { client } = tab.page.mainFrame();
	const clip = await clipOf(tab, args.ref, args.full === true);
	const undraw = args.refs === true ? await drawRefs(tab) : undefined;
	let bytes: Uint8Array;
	try {
		const { data } = await tab.within(
			client.send("Page.captureScreenshot", {
				format: "png",
				optimizeForSpeed: true,
				...(clip ? { clip, captureBeyondViewport: true } : {}),
			}),
		);
		bytes = Buffer.from(data, "base64");
	} finally {
		await undraw?.();
	}
	const place = await save(bytes, "screenshot", args.path, context);
	const header = `${await tab.header()}\nScreenshot (${humanSize(bytes.length)}): ${place}`;
	const { model, describesImages } = context.session;
	if (!model.input.includes("image") && !describesImages)
		return textResult(`${header}\nThis model does not see images. Use look.`);
	const fitted = await fitImage(bytes, undefined, context.signal);
	if (!fitted.ok) return errorResult(`${header}\n${fitted.message}`);
	const data = Buffer.from(fitted.bytes).toString("base64");
	return {
		content: [
			{ type: "text", text: header },
			{ type: "image", data, mimeType: fitted.mimeType },
		],
	};
}

async function clipOf(
	tab: Tab,
	ref: number | undefined,
	isFull: boolean,
): Promise<Protocol.Page.Viewport | undefined> {
	if (ref !== undefined) {
		const element = await elementOf(tab, ref);
		await tab.within(element.scrollIntoView());
		const box = await tab.within(element.boundingBox());
		if (!box) throw new Error(`Element ${ref} is not visible.`);
		const { cssVisualViewport } = await tab.page.mainFrame().client.send("Page.getLayoutMetrics");
		const { pageX, pageY } = cssVisualViewport;
		const height = Math.min(box.height, limits.screenshotHeight);
		return { x: box.x + pageX, y: box.y + pageY, width: box.width, height, scale: 1 };
	}
	if (!isFull) return undefined;
	const { cssContentSize } = await tab.page.mainFrame().client.send("Page.getLayoutMetrics");
	const height = Math.min(cssContentSize.height, limits.screenshotHeight);
	return { x: 0, y: 0, width: cssContentSize.width, height, scale: 1 };
}

interface Box {
	ref: number;
	x: number;
	y: number;
	width: number;
	height: number;
}

/** Draws a frame and the number around each control that is in view; returns how to remove them. */
async function drawRefs(tab: Tab): Promise<() => Promise<void>> {
	const { elements } = await tab.look();
	const boxes = await Promise.all(
		elements.slice(0, limits.drawnRefs).map(async ({ ref }): Promise<Box[]> => {
			// What has no place on the screen gets no frame.
			const element = await elementOf(tab, ref).catch(() => undefined);
			const box = await element?.boundingBox().catch(() => null);
			return box ? [{ ref, ...box }] : [];
		}),
	);
	const frame = tab.page.mainFrame();
	const drawn = await handleInFrame(frame, "draw", boxes.flat());
	return async () => {
		// The page may have been left.
		await onElement(drawn, frame, "remove").catch(() => {});
	};
}

export async function pdf({ session, args, context }: Step): Promise<AgentToolResult> {
	const tab = await session.tab(args.tab, context.signal);
	const { data } = await tab.within(
		tab.page.mainFrame().client.send("Page.printToPDF", { printBackground: true }),
		limits.answerMs * 4,
	);
	const bytes = Buffer.from(data, "base64");
	const place = await save(bytes, "pdf", args.path, context);
	return textResult(`${await tab.header()}\nPDF (${humanSize(bytes.length)}): ${place}`);
}

/** By a click on a link, or from an address; waits until the file is there. */
export async function download(step: Step): Promise<AgentToolResult> {
	const { session, args, context } = step;
	const { signal } = context;
	const tab = await session.tab(args.tab, signal);
	const running = await session.start(signal);
	const since = performance.now();
	if (args.ref !== undefined) await tab.act(click(tab, args), signal);
	else {
		const url = URL.parse(needed(args.url, "ref or url"));
		if (!url || !/^https?:$/.test(url.protocol))
			throw new Error("download needs an http: or https: address.");
		session.network.opens(url);
		await tab.act(inFrame(tab.page.mainFrame(), "requestFile", url.href), signal);
	}
	const { downloads } = running;
	const end = performance.now() + secondsOf(args, limits.downloadMs / 1000) * 1000;
	const begins = performance.now() + limits.loadSeconds * 1000;
	while (!downloads.hasBegunSince(since) && performance.now() < Math.min(begins, end))
		await downloads.nextChange(limits.pollMs, signal);
	await downloads.ended(since, end - performance.now(), signal);
	const begun = downloads.hasBegunSince(since);
	const isLate = downloads.isOpenSince(since);
	const result = await settled(step, tab, since, isLate ? "The download continues." : undefined);
	return begun ? result : { ...result, isError: true };
}

/** Into the project, or as an artifact of the session. */
async function save(
	bytes: Uint8Array,
	kind: string,
	path: string | undefined,
	context: ToolContext,
): Promise<string> {
	if (path === undefined) {
		using artifact = context.artifacts.open(kind);
		artifact.write(bytes);
		return `artifact://${artifact.id}`;
	}
	const { files } = context.machine;
	const before = await files.readEntry(path, context.resolve(path));
	const absent = await files.readText(path, context.resolve(path));
	const known = before.ok ? before : absent;
	if (!known.ok) throw new Error(known.reason);
	const committed = await files.commit([{ before: known, after: { text: "", hasBom: false, bytes } }], {
		signal: context.signal,
		toolCallId: context.toolCallId,
	});
	if (!committed.ok) throw new Error(committed.reason);
	return path;
}
