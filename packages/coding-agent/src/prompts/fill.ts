/** Fills the `{{names}}` of a prompt template. */

export function fill(template: string, values: Readonly<Record<string, string>>): string {
	return template.replace(/\{\{(\w+)\}\}/g, (_, name: string) => {
		const value = values[name];
		if (value === undefined) throw new Error(`The template wants {{${name}}}, which nobody gave.`);
		return value;
	});
}
