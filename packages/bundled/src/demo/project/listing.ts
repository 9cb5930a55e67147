/** Reads the entries of a folder from what `ls -la` prints. */

export interface Entry {
	name: string;
	folder: boolean;
}

// Mode, links, owner, group, size; then a date in the form of some locale; then the name, whatever it contains.
const day = String.raw`(?:\p{L}{2,5}\.?\s+\d{1,2}\.?|\d{1,2}\.?\s+\p{L}{2,5}\.?|(?:\d{4}-)?\d{2}-\d{2})`;
const time = String.raw`(?:\d{1,2}:\d{2}\S*(?:\s[+-]\d{4})?|\d{4})`;
const line = new RegExp(String.raw`^([-dlbcpsD])[-\w.+@]{9,11}\s+\d+\s.*?\s${day}\s+${time}\s(.+)$`, "u");

export function readListing(text: string): Entry[] {
	return text.split("\n").flatMap((row) => {
		const match = line.exec(row);
		const kind = match?.[1];
		const name = kind === "l" ? match?.[2]?.split(" -> ")[0] : match?.[2];
		if (!name || name === "." || name === "..") return [];
		return { name, folder: kind === "d" };
	});
}
