/** Fills the `{{placeholders}}` of a text. */

/** One pass: a value that looks like a placeholder stays unchanged. */
export function fill(template: string, values: Readonly<Record<string, string>> = {}): string {
	return template.trim().replaceAll(/\{\{(\w+)\}\}/g, (_, place: string) => {
		const value = values[place];
		if (value === undefined) throw new Error(`The text has a place "${place}" that nobody fills`);
		return value;
	});
}
