/** Reads values of which nothing is sure. */
import { isRecord } from "@tau/utils";

export function text(value: unknown): string {
	return typeof value === "string" ? value : "";
}

export function number(value: unknown): number {
	return typeof value === "number" && Number.isFinite(value) && value >= 0 ? value : 0;
}

export function record(value: unknown): Record<string, unknown> {
	return isRecord(value) ? value : {};
}

export function records(value: unknown): Record<string, unknown>[] {
	return Array.isArray(value) ? value.filter(isRecord) : [];
}

/** In the format of sessions; undefined if it is not a time. */
export function time(value: unknown): string | undefined {
	const parsed = Date.parse(text(value));
	return Number.isNaN(parsed) ? undefined : new Date(parsed).toISOString();
}

/** The same for milliseconds. */
export function timeOf(milliseconds: unknown): string | undefined {
	const date = new Date(number(milliseconds));
	return number(milliseconds) === 0 || Number.isNaN(date.getTime()) ? undefined : date.toISOString();
}

/** `data:image/png;base64,…` */
export function dataUrl(url: string): { mimeType: string; data: string } | undefined {
	const comma = url.indexOf(",");
	const match = /^data:([\w.+-]+\/[\w.+-]+);base64$/.exec(url.slice(0, Math.max(0, comma)));
	return match ? { mimeType: match[1] ?? "", data: url.slice(comma + 1) } : undefined;
}
