/** iTerm2's protocol: the whole file at the position of the image, every time. */

export interface ITerm2Options {
	width?: number | string;
	height?: number | string;
	name?: string;
	preserveAspectRatio?: boolean;
	inline?: boolean;
}

export function encodeITerm2(base64Data: string, options: ITerm2Options = {}): string {
	const { width, height, name, preserveAspectRatio = true, inline = true } = options;
	const keys = [`inline=${inline ? 1 : 0}`];
	if (width !== undefined) keys.push(`width=${width}`);
	if (height !== undefined) keys.push(`height=${height}`);
	if (name !== undefined) keys.push(`name=${Buffer.from(name).toString("base64")}`);
	if (!preserveAspectRatio) keys.push("preserveAspectRatio=0");
	return `\x1b]1337;File=${keys.join(";")}:${base64Data}\x07`;
}
