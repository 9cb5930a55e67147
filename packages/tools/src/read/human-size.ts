/** Formats sizes for humans. */

const units = ["KB", "MB", "GB", "TB"] as const;

export function humanSize(bytes: number): string {
	if (bytes < 1024) return `${bytes} B`;
	let value = bytes / 1024;
	let unit = 0;
	// 1023.96 would be printed as 1024.0.
	while (value >= 1023.95 && unit < units.length - 1) {
		value /= 1024;
		unit++;
	}
	return `${value.toFixed(1)} ${units[unit] ?? ""}`;
}
