/** Puts values into the `{{places}}` of a text. */

/** One pass: a value that looks like a place stays what it is. */
export function fill(template: string, values: Readonly<Record<string, string>> = {}): string {
	return template.trim().replaceAll(/\{\{(\w+)\}\}/g, (_, place: string) => {
		const value = values[place];
		if (value === undefined) throw new Error(`The text has a place "${place}" that nobody fills`);
		return value;
	});
}
