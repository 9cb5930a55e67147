/** Parses JSON whose shape is trusted; returns undefined for invalid JSON. */

export function parseJson<Shape>(text: string): Shape | undefined {
	try {
		return JSON.parse(text) as Shape;
	} catch {
		// The caller reports the problem better than the parser would.
		return undefined;
	}
}
