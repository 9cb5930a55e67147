/** Cuts what tools put out to lines and bytes that a model can take, by pi's names and numbers. */
export const DEFAULT_MAX_LINES = 2000;
export const DEFAULT_MAX_BYTES = 50 * 1024;
const lineChars = 500;

export interface TruncationOptions {
	maxLines?: number;
	maxBytes?: number;
}

export interface TruncationResult {
	content: string;
	truncated: boolean;
	truncatedBy: "lines" | "bytes" | null;
	totalLines: number;
	totalBytes: number;
	outputLines: number;
	outputBytes: number;
	lastLinePartial: boolean;
	firstLineExceedsLimit: boolean;
	maxLines: number;
	maxBytes: number;
}

/** Keeps the beginning, in whole lines. */
export function truncateHead(content: string, options: TruncationOptions = {}): TruncationResult {
	const lines = content.split("\n");
	const kept = fitting(lines, options);
	const firstLineExceedsLimit = kept.count === 0 && lines.length > 0 && kept.by === "bytes";
	return result(content, lines.slice(0, kept.count).join("\n"), kept, options, { firstLineExceedsLimit });
}

/** Keeps the end, in whole lines; of a last line that is too long by itself, its end. */
export function truncateTail(content: string, options: TruncationOptions = {}): TruncationResult {
	const lines = content.split("\n");
	const kept = fitting(lines.toReversed(), options);
	if (kept.count > 0 || kept.by === null)
		return result(content, lines.slice(lines.length - kept.count).join("\n"), kept, options, {});
	const bytes = Buffer.from(lines.at(-1) ?? "");
	const cut = bytes.subarray(bytes.length - (options.maxBytes ?? DEFAULT_MAX_BYTES)).toString("utf8");
	// The cut may go through a character.
	const whole = cut.replace(/^\uFFFD+/, "");
	return result(content, whole, { ...kept, count: 1 }, options, { lastLinePartial: true });
}

export function truncateLine(
	line: string,
	maxChars: number = lineChars,
): { text: string; wasTruncated: boolean } {
	if (line.length <= maxChars) return { text: line, wasTruncated: false };
	return { text: `${line.slice(0, maxChars)}... [truncated]`, wasTruncated: true };
}

/** `500B`, `50KB`, `1.5MB`. */
export function formatSize(bytes: number): string {
	if (bytes < 1024) return `${bytes}B`;
	const kilobytes = bytes / 1024;
	const [value, unit] = kilobytes < 1024 ? [kilobytes, "KB"] : [kilobytes / 1024, "MB"];
	return `${value.toFixed(1).replace(/\.0$/, "")}${unit}`;
}

interface Fitting {
	count: number;
	by: "lines" | "bytes" | null;
}

function fitting(
	lines: readonly string[],
	{ maxLines = DEFAULT_MAX_LINES, maxBytes = DEFAULT_MAX_BYTES }: TruncationOptions,
): Fitting {
	let bytes = 0;
	for (const [count, line] of lines.entries()) {
		if (count >= maxLines) return { count, by: "lines" };
		bytes += Buffer.byteLength(line) + (count > 0 ? 1 : 0);
		if (bytes > maxBytes) return { count, by: "bytes" };
	}
	return { count: lines.length, by: null };
}

function result(
	whole: string,
	content: string,
	{ count, by }: Fitting,
	{ maxLines = DEFAULT_MAX_LINES, maxBytes = DEFAULT_MAX_BYTES }: TruncationOptions,
	more: Partial<TruncationResult>,
): TruncationResult {
	return {
		content,
		truncated: by !== null,
		truncatedBy: by,
		totalLines: whole.split("\n").length,
		totalBytes: Buffer.byteLength(whole),
		outputLines: count,
		outputBytes: Buffer.byteLength(content),
		lastLinePartial: false,
		firstLineExceedsLimit: false,
		maxLines,
		maxBytes,
		...more,
	};
}
