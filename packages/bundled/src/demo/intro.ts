/** The line with which the demo says what it is. */
import { fill } from "@tau/utils";

import text from "./texts/intro.md" with { type: "text" };

export const intro = fill(text);
