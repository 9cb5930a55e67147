/** Reads the configuration files that the AWS tools share. */

export type Section = ReadonlyMap<string, string>;

/** The values of each section, names of values in lower case. What is nested below a value is left out. */
export function parseIni(text: string): Map<string, Map<string, string>> {
	const sections = new Map<string, Map<string, string>>();
	let section: Map<string, string> | undefined;
	let nested = false;
	for (const raw of text.split(/\r?\n/)) {
		// A comment begins the line or stands after a space: keys may hold both of its marks.
		const line = raw.replace(/(?:^|\s)[#;].*$/, "");
		const content = line.trim();
		if (content === "") continue;
		const header = /^\[([^\]]*)\]$/.exec(content)?.[1];
		if (header !== undefined) {
			const name = header.trim();
			section = sections.get(name) ?? new Map<string, string>();
			sections.set(name, section);
			nested = false;
			continue;
		}
		if (!/^\s/.test(line)) nested = false;
		const equals = content.indexOf("=");
		if (equals < 1 || nested) continue;
		const value = content.slice(equals + 1).trim();
		nested = value === "";
		if (!nested) section?.set(content.slice(0, equals).trim().toLowerCase(), value);
	}
	return sections;
}
