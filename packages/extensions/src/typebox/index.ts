/** The entry point `@tau/extensions/typebox`: TypeBox itself, and the check of tool arguments with it. */
export { type Static, type TObject, type TSchema, Type } from "typebox-v1";
export { checkValue } from "./check.ts";
export { StringEnum } from "./string-enum.ts";
