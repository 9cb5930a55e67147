/** Tables as comma-separated values. */
import type { Table } from "./table.ts";

export function csvOf({ columns, rows }: Table): string {
	return [columns, ...rows].map((row) => `${row.map(cellOf).join(",")}\n`).join("");
}

/** A name that begins like a formula would be one in a spreadsheet. */
function cellOf(value: string | number | null): string {
	if (value === null) return "";
	if (typeof value === "number") return String(value);
	const text = /^[=+\-@\t\r]/.test(value) ? `'${value}` : value;
	return /[",\r\n]/.test(text) ? `"${text.replaceAll('"', '""')}"` : text;
}
