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
	const lines = linesOf(content);
	const { maxBytes = DEFAULT_MAX_BYTES } = options;
	const fits = fitting(lines, options);
	// The last line feed may be what is too much.
	const isWhole = fits.by === null && Buffer.byteLength(content) <= maxBytes;
	if (isWhole) return result(content, content, fits, options, {});
	const kept: Fitting = { ...fits, by: fits.by ?? "bytes" };
	const firstLineExceedsLimit = kept.count === 0 && lines.length > 0 && kept.by === "bytes";
	return result(content, lines.slice(0, kept.count).join("\n"), kept, options, { firstLineExceedsLimit });
}

/** Keeps the end, in whole lines; of a last line that is too long by itself, its end. */
export function truncateTail(content: string, options: TruncationOptions = {}): TruncationResult {
	const lines = linesOf(content);
	const { maxBytes = DEFAULT_MAX_BYTES } = options;
	const ending = lines.length > 0 && content.endsWith("\n") ? "\n" : "";
	const kept = fitting(lines.toReversed(), { ...options, maxBytes: maxBytes - ending.length });
	if (kept.by === null) return result(content, content, kept, options, {});
	if (kept.count > 0)
		return result(content, lines.slice(lines.length - kept.count).join("\n") + ending, kept, options, {});
	const bytes = Buffer.from((lines.at(-1) ?? "") + ending);
	const cut = bytes.subarray(bytes.length - maxBytes).toString("utf8");
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

/** `500B`, `50.0KB`, `1.5MB`. */
export function formatSize(bytes: number): string {
	if (bytes < 1024) return `${bytes}B`;
	const kilobytes = bytes / 1024;
	const [value, unit] = kilobytes < 1024 ? [kilobytes, "KB"] : [kilobytes / 1024, "MB"];
	return `${value.toFixed(1)}${unit}`;
}

/** A line feed at the end closes the last line, and does not start another one. */
function linesOf(content: string): string[] {
	const lines = content.split("\n");
	return lines.length > 1 && lines.at(-1) === "" ? lines.slice(0, -1) : lines;
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
		totalLines: linesOf(whole).length,
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
