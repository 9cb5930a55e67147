/** What extensions get when they import omp's package of native code: the functions that Tau has without it. */
import {
	copyText,
	htmlToMarkdown,
	invalidateScans,
	readClipboardImage,
	sliceByColumn,
	truncateToWidth,
} from "@tau/sys";
import { matchesKey, parseKey, visibleWidth, wrapTextWithAnsi, type KeyId } from "@tau/tui";
import { log } from "@tau/utils";

import { locks, parseKittySequence } from "./tui/kitty-sequence.ts";

/** omp's enumerations are numbers. */
const ellipses = ["…", "...", ""] as const;

/** Sequences from before the kitty protocol, which have neither modifiers nor characters. */
const legacyForm = /^\u001B(?:O|\[\[?)\d*[^;:\du]$/;

/** As in omp: by lines, unless the expression is to match across them. */
function hasMatch(
	content: string | Uint8Array,
	pattern: string | Uint8Array,
	options?: boolean | { ignoreCase?: boolean; multiline?: boolean },
	multiline = false,
): boolean {
	const { ignoreCase = false, multiline: isWhole = false } =
		typeof options === "object" ? options : { ignoreCase: options ?? false, multiline };
	const expression = new RegExp(textOf(pattern), `${ignoreCase ? "i" : ""}m`);
	const text = textOf(content);
	return isWhole ? expression.test(text) : text.split(/\r?\n/).some((line) => expression.test(line));
}

function textOf(value: string | Uint8Array): string {
	return typeof value === "string" ? value : new TextDecoder().decode(value);
}

export const nativeExports = {
	Ellipsis: { Unicode: 0, Ascii: 1, Omit: 2 },
	KeyEventType: { Press: 1, Repeat: 2, Release: 3 },
	/** omp's does not wait. */
	copyToClipboard(text: string): void {
		copyText(text).catch((error: unknown) => log.warn("nothing was copied", { reason: String(error) }));
	},
	hasMatch,
	htmlToMarkdown: async (html: string): Promise<string> => (await htmlToMarkdown(html)).markdown,
	invalidateFsScanCache: (path?: string): void => invalidateScans(path),
	matchesKey: (data: string, keyId: KeyId): boolean => matchesKey(data, keyId),
	matchesKittySequence(data: string, codepoint: number, modifier: number): boolean {
		const key = parseKittySequence(data);
		return key?.codepoint === codepoint && key.modifier === (modifier & ~locks);
	},
	matchesLegacySequence: (data: string, keyName: string): boolean =>
		legacyForm.test(data) && parseKey(data)?.toLowerCase() === keyName.toLowerCase(),
	parseKey: (data: string): string | null => parseKey(data) ?? null,
	parseKittySequence,
	async readImageFromClipboard(): Promise<{ data: Uint8Array; mimeType: string } | null> {
		const image = await readClipboardImage();
		return image.ok ? { data: image.bytes, mimeType: image.mimeType } : null;
	},
	sliceWithWidth(line: string, startCol: number, length: number): { text: string; width: number } {
		const text = sliceByColumn(line, startCol, length);
		return { text, width: visibleWidth(text) };
	},
	truncateToWidth: (text: string, maxWidth: number, ellipsisKind = 0, pad = false): string =>
		truncateToWidth(text, maxWidth, ellipses[ellipsisKind] ?? "…", pad),
	visibleWidth: (text: string): number => visibleWidth(text),
	wrapTextWithAnsi: (text: string, width: number): string[] => wrapTextWithAnsi(text, width),
};
