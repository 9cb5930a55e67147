/** Parts of the application for tests of other packages. */
export { provideApplication } from "../cli/launch/application.ts";
