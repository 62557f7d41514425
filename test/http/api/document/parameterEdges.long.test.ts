// With every value at every operation.
import "./parameterEdges.test.js";
