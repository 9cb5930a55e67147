/** Reads JSON whose shape its writer vouches for; what is not JSON at all is nothing. */

export function parseJson<Shape>(text: string): Shape | undefined {
	try {
		return JSON.parse(text) as Shape;
	} catch {
		// The caller knows what the text should have been, and says so better than the parser would.
		return undefined;
	}
}
