/** What a client says about where it shows the components of extensions. */
import { z } from "zod";

const cells = () => z.number().int().min(1).max(1000);
const name = () => z.string().min(1).max(200);

/** The window and the colors that components are drawn for. */
export const surfaceFields = () => ({
	columns: cells(),
	rows: cells(),
	theme: z.object({
		name: z.string().max(100),
		appearance: z.enum(["dark", "light"]),
		mode: z.enum(["truecolor", "256color", "16color", "none"]),
		/** By the names of themes; a color is `#rrggbb`, the number of one, or empty for that of the terminal. */
		colors: z.record(z.string().max(100), z.union([z.string().max(100), z.number()])),
	}),
	/** The results of tools are shown whole. */
	expandTools: z.boolean(),
	/** Links can be followed by clicking. */
	hyperlinks: z.boolean(),
});

/** A call of a tool by its id, or a message of an extension by its kind and time. */
export const blockFields = () => ({
	open: z
		.array(
			z.object({
				id: name(),
				width: cells(),
				of: z.union([
					z.object({ toolCallId: name() }),
					z.object({ customType: name(), timestamp: z.number() }),
				]),
			}),
		)
		.max(600),
	close: z.array(name()).max(600),
});
