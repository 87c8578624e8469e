/*! Written by codegen/generate.ts from openapi-backend 5.21.2. Do not edit.

The MIT License (MIT)

Copyright (c) 2018 Viljami Kuosmanen / MRR Copilot Oy and openapi-backend contributors

Permission is hereby granted, free of charge, to any person obtaining a copy
of this software and associated documentation files (the "Software"), to deal
in the Software without restriction, including without limitation the rights
to use, copy, modify, merge, publish, distribute, sublicense, and/or sell
copies of the Software, and to permit persons to whom the Software is
furnished to do so, subject to the following conditions:

The above copyright notice and this permission notice shall be included in
all copies or substantial portions of the Software.

THE SOFTWARE IS PROVIDED "AS IS", WITHOUT WARRANTY OF ANY KIND, EXPRESS OR
IMPLIED, INCLUDING BUT NOT LIMITED TO THE WARRANTIES OF MERCHANTABILITY,
FITNESS FOR A PARTICULAR PURPOSE AND NONINFRINGEMENT. IN NO EVENT SHALL THE
AUTHORS OR COPYRIGHT HOLDERS BE LIABLE FOR ANY CLAIM, DAMAGES OR OTHER
LIABILITY, WHETHER IN AN ACTION OF CONTRACT, TORT OR OTHERWISE, ARISING FROM,
OUT OF OR IN CONNECTION WITH THE SOFTWARE OR THE USE OR OTHER DEALINGS IN
THE SOFTWARE.
*/
var __create = Object.create;
var __defProp = Object.defineProperty;
var __getOwnPropDesc = Object.getOwnPropertyDescriptor;
var __getOwnPropNames = Object.getOwnPropertyNames;
var __getProtoOf = Object.getPrototypeOf;
var __hasOwnProp = Object.prototype.hasOwnProperty;
var __commonJS = (cb, mod) => function __require() {
  try {
    return mod || (0, cb[__getOwnPropNames(cb)[0]])((mod = { exports: {} }).exports, mod), mod.exports;
  } catch (e) {
    throw mod = 0, e;
  }
};
var __copyProps = (to, from, except, desc) => {
  if (from && typeof from === "object" || typeof from === "function") {
    for (let key of __getOwnPropNames(from))
      if (!__hasOwnProp.call(to, key) && key !== except)
        __defProp(to, key, { get: () => from[key], enumerable: !(desc = __getOwnPropDesc(from, key)) || desc.enumerable });
  }
  return to;
};
var __toESM = (mod, isNodeMode, target) => (target = mod != null ? __create(__getProtoOf(mod)) : {}, __copyProps(
  // If the importer is in node compatibility mode or this is not an ESM
  // file that has been converted to a CommonJS file using a Babel-
  // compatible transform (i.e. "__esModule" has not been set), then set
  // "default" to the CommonJS "module.exports" for node compatibility.
  isNodeMode || !mod || !mod.__esModule ? __defProp(target, "default", { value: mod, enumerable: true }) : target,
  mod
));

// left-out:lodash
var require_lodash = __commonJS({
  "left-out:lodash"(exports) {
    exports.flatMap = (list, each) => list.flatMap((item) => each(item));
    exports.keys = Object.keys;
    exports.includes = (list, item) => list.includes(item);
  }
});

// left-out:openapi-schema-validator
var require_openapi_schema_validator = __commonJS({
  "left-out:openapi-schema-validator"(exports) {
    exports.__esModule = true;
  }
});

// left-out:./refparser
var require_refparser = __commonJS({
  "left-out:./refparser"(exports) {
    exports.__esModule = true;
  }
});

// left-out:dereference-json-schema
var require_dereference_json_schema = __commonJS({
  "left-out:dereference-json-schema"(exports) {
    exports.__esModule = true;
  }
});

// left-out:mock-json-schema
var require_mock_json_schema = __commonJS({
  "left-out:mock-json-schema"(exports) {
    exports.__esModule = true;
  }
});

// left-out:./router
var require_router = __commonJS({
  "left-out:./router"(exports) {
    exports.__esModule = true;
  }
});

// left-out:./validation
var require_validation = __commonJS({
  "left-out:./validation"(exports) {
    exports.__esModule = true;
  }
});

// left-out:./utils
var require_utils = __commonJS({
  "left-out:./utils"(exports) {
    exports.__esModule = true;
  }
});

// node_modules/openapi-backend/backend.js
var require_backend = __commonJS({
  "node_modules/openapi-backend/backend.js"(exports) {
    "use strict";
    var __createBinding = exports && exports.__createBinding || (Object.create ? (function(o, m, k, k2) {
      if (k2 === void 0) k2 = k;
      var desc = Object.getOwnPropertyDescriptor(m, k);
      if (!desc || ("get" in desc ? !m.__esModule : desc.writable || desc.configurable)) {
        desc = { enumerable: true, get: function() {
          return m[k];
        } };
      }
      Object.defineProperty(o, k2, desc);
    }) : (function(o, m, k, k2) {
      if (k2 === void 0) k2 = k;
      o[k2] = m[k];
    }));
    var __setModuleDefault = exports && exports.__setModuleDefault || (Object.create ? (function(o, v) {
      Object.defineProperty(o, "default", { enumerable: true, value: v });
    }) : function(o, v) {
      o["default"] = v;
    });
    var __importStar = exports && exports.__importStar || function(mod) {
      if (mod && mod.__esModule) return mod;
      var result = {};
      if (mod != null) {
        for (var k in mod) if (k !== "default" && Object.prototype.hasOwnProperty.call(mod, k)) __createBinding(result, mod, k);
      }
      __setModuleDefault(result, mod);
      return result;
    };
    var __importDefault = exports && exports.__importDefault || function(mod) {
      return mod && mod.__esModule ? mod : { "default": mod };
    };
    Object.defineProperty(exports, "__esModule", { value: true });
    exports.OpenAPIBackend = exports.SetMatchType = void 0;
    var _ = __importStar(require_lodash());
    var openapi_schema_validator_1 = __importDefault(require_openapi_schema_validator());
    var refparser_1 = require_refparser();
    var dereference_json_schema_1 = require_dereference_json_schema();
    var mock_json_schema_1 = require_mock_json_schema();
    var router_1 = require_router();
    var validation_1 = require_validation();
    var utils_1 = __importDefault(require_utils());
    var SetMatchType;
    (function(SetMatchType2) {
      SetMatchType2["Any"] = "any";
      SetMatchType2["Superset"] = "superset";
      SetMatchType2["Subset"] = "subset";
      SetMatchType2["Exact"] = "exact";
    })(SetMatchType || (exports.SetMatchType = SetMatchType = {}));
    var OpenAPIBackend2 = class {
      /**
       * @deprecated Use `initialized` instead. Kept for backwards compatibility with the misspelled property name.
       */
      get initalized() {
        return this.initialized;
      }
      /**
       * Emits a console warning once per key for the lifetime of this instance
       */
      warnOnce(key, message) {
        if (this.warnings.has(key)) {
          return;
        }
        this.warnings.add(key);
        console.warn(message);
      }
      /**
       * Creates an instance of OpenAPIBackend.
       *
       * @param opts - constructor options
       * @param {D | string} opts.definition - the OpenAPI definition, file path or Document object
       * @param {string} opts.apiRoot - the root URI of the api. all paths are matched relative to apiRoot
       * @param {boolean} opts.strict - strict mode, fail closed instead of warning: throw on OpenAPI spec validation
       * errors, on registering handlers for unknown operationIds, and on requests that fail security requirements or
       * request validation when no unauthorizedHandler / validationFail handler is registered (default: false)
       * @param {boolean} opts.quick - quick startup, attempts to optimise startup; might break things (default: false)
       * @param {boolean | ContextPredicate} opts.validate - whether to validate requests with Ajv, or a predicate called per
       * request to decide (default: true)
       * @param {boolean} opts.ignoreTrailingSlashes - whether to ignore trailing slashes when routing (default: true)
       * @param {boolean} opts.ajvOpts - default ajv opts to pass to the validator
       * @param {boolean} opts.coerceTypes - enable coerce typing of request path and query parameters. Coercion happens as
       * part of validation, so it only applies to requests that get validated. (default: false)
       * @param {{ [operationId: string]: Handler | ErrorHandler }} opts.handlers - Operation handlers to be registered
       * @memberof OpenAPIBackend
       */
      constructor(opts) {
        var _a, _b, _c, _d;
        this.allowedHandlers = [
          "404",
          "notFound",
          "405",
          "methodNotAllowed",
          "501",
          "notImplemented",
          "400",
          "validationFail",
          "unauthorizedHandler",
          "preRoutingHandler",
          "postRoutingHandler",
          "postSecurityHandler",
          "preOperationHandler",
          "postResponseHandler"
        ];
        this.warnings = /* @__PURE__ */ new Set();
        const optsWithDefaults = {
          apiRoot: "/",
          validate: true,
          strict: false,
          quick: false,
          ignoreTrailingSlashes: true,
          handlers: {},
          securityHandlers: {},
          coerceTypes: false,
          ...opts
        };
        this.apiRoot = (_a = optsWithDefaults.apiRoot) !== null && _a !== void 0 ? _a : "/";
        this.inputDocument = optsWithDefaults.definition;
        this.strict = !!optsWithDefaults.strict;
        this.quick = !!optsWithDefaults.quick;
        this.validate = (_b = optsWithDefaults.validate) !== null && _b !== void 0 ? _b : true;
        this.ignoreTrailingSlashes = !!optsWithDefaults.ignoreTrailingSlashes;
        this.handlers = { ...optsWithDefaults.handlers };
        this.securityHandlers = { ...optsWithDefaults.securityHandlers };
        this.ajvOpts = (_c = optsWithDefaults.ajvOpts) !== null && _c !== void 0 ? _c : {};
        this.customizeAjv = optsWithDefaults.customizeAjv;
        this.coerceTypes = (_d = optsWithDefaults.coerceTypes) !== null && _d !== void 0 ? _d : false;
      }
      /**
       * Initializes OpenAPIBackend.
       *
       * 1. Loads and parses the OpenAPI document passed in constructor options
       * 2. Validates the OpenAPI document
       * 3. Builds validation schemas for all API operations
       * 4. Marks property `initialized` to true
       * 5. Registers all [Operation Handlers](#operation-handlers) passed in constructor options
       *
       * The init() method should be called right after creating a new instance of OpenAPIBackend
       *
       * @returns parent instance of OpenAPIBackend
       * @memberof OpenAPIBackend
       */
      async init() {
        try {
          if (this.quick) {
            this.loadDocument();
          } else {
            await this.loadDocument();
          }
          if (!this.quick) {
            this.validateDefinition();
          }
          if (typeof this.inputDocument === "string") {
            this.definition = await (0, refparser_1.dereference)(this.inputDocument);
          } else if (this.quick && typeof this.inputDocument === "object") {
            this.definition = (0, dereference_json_schema_1.dereferenceSync)(this.inputDocument);
          } else {
            this.definition = await (0, refparser_1.dereference)(this.document || this.inputDocument);
          }
        } catch (err) {
          if (this.strict) {
            throw err;
          } else {
            console.warn(err);
          }
        }
        this.router = new router_1.OpenAPIRouter({
          definition: this.definition,
          apiRoot: this.apiRoot,
          ignoreTrailingSlashes: this.ignoreTrailingSlashes
        });
        if (this.validate !== false) {
          this.validator = new validation_1.OpenAPIValidator({
            definition: this.definition,
            ajvOpts: this.ajvOpts,
            customizeAjv: this.customizeAjv,
            router: this.router,
            lazyCompileValidators: Boolean(this.quick),
            coerceTypes: this.coerceTypes
          });
        }
        this.initialized = true;
        if (this.handlers) {
          this.register(this.handlers);
        }
        if (this.securityHandlers) {
          for (const [name, handler] of Object.entries(this.securityHandlers)) {
            if (handler) {
              this.registerSecurityHandler(name, handler);
            }
          }
        }
        return this;
      }
      /**
       * Loads the input document asynchronously and sets this.document
       *
       * @memberof OpenAPIBackend
       */
      async loadDocument() {
        this.document = await (0, refparser_1.parse)(this.inputDocument);
        return this.document;
      }
      /**
       * Handles a request
       * 1. Routing: Matches the request to an API operation
       * 2. Validation: Validates the request against the API operation schema
       * 3. Handling: Passes the request on to a registered handler
       *
       * @param {Request} req
       * @param {...any[]} handlerArgs
       * @returns {Promise} handler return value
       * @memberof OpenAPIBackend
       */
      async handleRequest(req, ...handlerArgs) {
        if (!this.initialized) {
          await this.init();
        }
        const context = { api: this };
        const response = await (async () => {
          context.request = this.router.parseRequest(req);
          const preRoutingHandler = this.handlers["preRoutingHandler"];
          if (preRoutingHandler) {
            await preRoutingHandler(context, ...handlerArgs);
          }
          try {
            context.operation = this.router.matchOperation(req, true);
          } catch (err) {
            const postRoutingHandler2 = this.handlers["postRoutingHandler"];
            if (postRoutingHandler2) {
              await postRoutingHandler2(context, ...handlerArgs);
            }
            let handler = this.handlers["404"] || this.handlers["notFound"];
            if (err instanceof Error && err.message.startsWith("405")) {
              handler = this.handlers["405"] || this.handlers["methodNotAllowed"] || handler;
            }
            if (!handler) {
              throw err;
            }
            return handler(context, ...handlerArgs);
          }
          const operationId = context.operation.operationId;
          context.request = this.router.parseRequest(req, context.operation);
          const postRoutingHandler = this.handlers["postRoutingHandler"];
          if (postRoutingHandler) {
            await postRoutingHandler(context, ...handlerArgs);
          }
          const securityRequirements = context.operation.security || [];
          const securitySchemes = _.flatMap(securityRequirements, _.keys);
          const securityHandlerResults = {};
          await Promise.all(securitySchemes.map(async (name) => {
            securityHandlerResults[name] = void 0;
            if (this.securityHandlers[name]) {
              const securityHandler = this.securityHandlers[name];
              return await Promise.resolve().then(() => securityHandler(context, ...handlerArgs)).then((result) => {
                securityHandlerResults[name] = result;
              }).catch((error) => {
                securityHandlerResults[name] = { error: error || new Error("security handler rejected") };
              });
            } else {
              securityHandlerResults[name] = void 0;
            }
          }));
          const requirementsSatisfied = securityRequirements.map((requirementObject) => {
            for (const requirement of Object.keys(requirementObject)) {
              const requirementResult = securityHandlerResults[requirement];
              if (Boolean(requirementResult) === false) {
                return false;
              }
              if (requirementResult && typeof requirementResult === "object" && requirementResult.error) {
                return false;
              }
            }
            return true;
          });
          const authorized = requirementsSatisfied.some((securityResult) => securityResult === true);
          context.security = {
            ...securityHandlerResults,
            authorized
          };
          const postSecurityHandler = this.handlers["postSecurityHandler"];
          if (postSecurityHandler) {
            await postSecurityHandler(context, ...handlerArgs);
          }
          if (!authorized && securityRequirements.length > 0) {
            const unauthorizedHandler = this.handlers["unauthorizedHandler"];
            if (unauthorizedHandler) {
              return unauthorizedHandler(context, ...handlerArgs);
            }
            if (this.strict) {
              throw Error(`401-unauthorized: ${operationId} request did not satisfy security requirements and no unauthorizedHandler is registered`);
            }
            this.warnOnce("unauthorizedHandler", `Request to ${operationId} did not satisfy its security requirements, but no unauthorizedHandler is registered. Proceeding to the operation handler. Register an unauthorizedHandler or set strict: true to reject these requests. See https://github.com/openapistack/openapi-backend/blob/main/SECURITY.md`);
          }
          const validate = typeof this.validate === "function" ? this.validate(context, ...handlerArgs) : Boolean(this.validate);
          const validationFailHandler = this.handlers["400"] || this.handlers["validationFail"];
          if (validate) {
            context.validation = this.validator.validateRequest(req, context.operation);
            if (context.validation.errors) {
              if (validationFailHandler) {
                return validationFailHandler(context, ...handlerArgs);
              }
              if (this.strict) {
                throw Error(`400-validationFail: ${operationId} request failed validation and no validationFail handler is registered`);
              }
              this.warnOnce("validationFail", `Request to ${operationId} failed validation, but no validationFail handler is registered. Proceeding to the operation handler. Register a validationFail handler or set strict: true to reject these requests. See https://github.com/openapistack/openapi-backend/blob/main/SECURITY.md`);
            }
            if (this.validator.coerceTypes) {
              context.request = this.router.parseRequest(context.validation.coerced, context.operation);
            }
          }
          const preOperationHandler = this.handlers["preOperationHandler"];
          if (preOperationHandler) {
            await preOperationHandler(context, ...handlerArgs);
          }
          const operationHandler = this.handlers[operationId];
          if (!operationHandler) {
            const notImplementedHandler = this.handlers["501"] || this.handlers["notImplemented"];
            if (!notImplementedHandler) {
              throw Error(`501-notImplemented: ${operationId} no handler registered`);
            }
            return notImplementedHandler(context, ...handlerArgs);
          }
          return operationHandler(context, ...handlerArgs);
        }).bind(this)();
        const postResponseHandler = this.handlers["postResponseHandler"];
        if (postResponseHandler) {
          context.response = response;
          return postResponseHandler(context, ...handlerArgs);
        }
        return response;
      }
      /**
       * Registers a handler for an operation
       *
       * @param {string} operationId
       * @param {Handler} handler
       * @memberof OpenAPIBackend
       */
      registerHandler(operationId, handler) {
        if (typeof handler !== "function") {
          throw new Error("Handler should be a function");
        }
        if (this.initialized) {
          const operation = this.router.getOperation(operationId);
          if (!operation && !_.includes(this.allowedHandlers, operationId)) {
            const err = `Unknown operationId ${operationId}`;
            if (this.strict) {
              throw new Error(`${err}. Refusing to register handler`);
            } else {
              console.warn(err);
            }
          }
        }
        this.handlers[operationId] = handler;
      }
      /**
       * Overloaded register() implementation
       *
       * @param {...any[]} args
       * @memberof OpenAPIBackend
       */
      register(...args) {
        if (typeof args[0] === "string") {
          const operationId = args[0];
          const handler = args[1];
          this.registerHandler(operationId, handler);
        } else {
          const handlers = args[0];
          for (const operationId in handlers) {
            if (handlers[operationId]) {
              this.registerHandler(operationId, handlers[operationId]);
            }
          }
        }
      }
      /**
       * Registers a security handler for a security scheme
       *
       * @param {string} name - security scheme name
       * @param {Handler} handler - security handler
       * @memberof OpenAPIBackend
       */
      registerSecurityHandler(name, handler) {
        var _a;
        if (typeof handler !== "function") {
          throw new Error("Security handler should be a function");
        }
        if (this.initialized) {
          const securitySchemes = ((_a = this.definition.components) === null || _a === void 0 ? void 0 : _a.securitySchemes) || {};
          if (!securitySchemes[name]) {
            const err = `Unknown security scheme ${name}`;
            if (this.strict) {
              throw new Error(`${err}. Refusing to register security handler`);
            } else {
              console.warn(err);
            }
          }
        }
        this.securityHandlers[name] = handler;
      }
      /**
       * Mocks a response for an operation based on example or response schema
       *
       * @param {string} operationId - operationId of the operation for which to mock the response
       * @param {object} opts - (optional) options
       * @param {number} opts.responseStatus - (optional) the response code of the response to mock (default: 200)
       * @param {string} opts.mediaType - (optional) the media type of the response to mock (default: application/json)
       * @param {string} opts.example - (optional) the specific example to use (if operation has multiple examples)
       * @returns {{ status: number; mock: any }}
       * @memberof OpenAPIBackend
       */
      mockResponseForOperation(operationId, opts = {}) {
        let status = 200;
        const defaultMock = {};
        const operation = this.router.getOperation(operationId);
        if (!operation || !operation.responses) {
          return { status, mock: defaultMock };
        }
        const { responses } = operation;
        let response;
        if (opts.code && responses[opts.code]) {
          status = Number(opts.code);
          response = responses[opts.code];
        } else {
          const res = utils_1.default.findDefaultStatusCodeMatch(responses);
          status = res.status;
          response = res.res;
        }
        if (!response || !response.content) {
          return { status, mock: defaultMock };
        }
        const { content } = response;
        const mediaType = opts.mediaType || "application/json";
        const mediaResponse = content[mediaType] || content[Object.keys(content)[0]];
        if (!mediaResponse) {
          return { status, mock: defaultMock };
        }
        const { examples, schema } = mediaResponse;
        if (opts.example && examples) {
          const exampleObject = examples[opts.example];
          if (exampleObject && exampleObject.value) {
            return { status, mock: exampleObject.value };
          }
        }
        if (mediaResponse.example) {
          return { status, mock: mediaResponse.example };
        }
        if (examples) {
          const exampleObject = examples[Object.keys(examples)[0]];
          return { status, mock: exampleObject.value };
        }
        if (schema) {
          return { status, mock: (0, mock_json_schema_1.mock)(schema) };
        }
        return { status, mock: defaultMock };
      }
      /**
       * Validates this.document, which is the parsed OpenAPI document. Throws an error if validation fails.
       *
       * @returns {D} parsed document
       * @memberof OpenAPIBackend
       */
      validateDefinition() {
        const validateOpenAPI = new openapi_schema_validator_1.default({ version: 3 });
        const { errors } = validateOpenAPI.validate(this.document);
        if (errors.length) {
          const prettyErrors = JSON.stringify(errors, null, 2);
          throw new Error(`Document is not valid OpenAPI. ${errors.length} validation errors:
${prettyErrors}`);
        }
        return this.document;
      }
      /**
       * Flattens operations into a simple array of Operation objects easy to work with
       *
       * Alias for: router.getOperations()
       *
       * @returns {Operation<D>[]}
       * @memberof OpenAPIBackend
       */
      getOperations() {
        return this.router.getOperations();
      }
      /**
       * Gets a single operation based on operationId
       *
       * Alias for: router.getOperation(operationId)
       *
       * @param {string} operationId
       * @returns {Operation<D>}
       * @memberof OpenAPIBackend
       */
      getOperation(operationId) {
        return this.router.getOperation(operationId);
      }
      /**
       * Matches a request to an API operation (router)
       *
       * Alias for: router.matchOperation(req)
       *
       * @param {Request} req
       * @returns {Operation<D>}
       * @memberof OpenAPIBackend
       */
      matchOperation(req) {
        return this.router.matchOperation(req);
      }
      /**
       * Validates a request and returns the result.
       *
       * The method will first match the request to an API operation and use the pre-compiled Ajv validation schemas to
       * validate it.
       *
       * Alias for validator.validateRequest
       *
       * @param {Request} req - request to validate
       * @param {(Operation<D> | string)} [operation]
       * @returns {ValidationStatus}
       * @memberof OpenAPIBackend
       */
      validateRequest(req, operation) {
        return this.validator.validateRequest(req, operation);
      }
      /**
       * Validates a response and returns the result.
       *
       * The method will use the pre-compiled Ajv validation schema to validate a request it.
       *
       * Alias for validator.validateResponse
       *
       * @param {*} res - response to validate
       * @param {(Operation<D> | string)} [operation]
       * @param {number} status
       * @returns {ValidationStatus}
       * @memberof OpenAPIBackend
       */
      validateResponse(res, operation, statusCode) {
        return this.validator.validateResponse(res, operation, statusCode);
      }
      /**
       * Validates response headers and returns the result.
       *
       * The method will use the pre-compiled Ajv validation schema to validate a request it.
       *
       * Alias for validator.validateResponseHeaders
       *
       * @param {*} headers - response to validate
       * @param {(Operation<D> | string)} [operation]
       * @param {number} [opts.statusCode]
       * @param {SetMatchType} [opts.setMatchType] - one of 'any', 'superset', 'subset', 'exact'
       * @returns {ValidationStatus}
       * @memberof OpenAPIBackend
       */
      validateResponseHeaders(headers, operation, opts) {
        return this.validator.validateResponseHeaders(headers, operation, opts);
      }
    };
    exports.OpenAPIBackend = OpenAPIBackend2;
  }
});

// <stdin>
var import_backend = __toESM(require_backend());
var export_OpenAPIBackend = import_backend.OpenAPIBackend;
export {
  export_OpenAPIBackend as OpenAPIBackend
};
